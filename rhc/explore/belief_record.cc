#include "rhc/explore/belief_record.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/model/forgetting.h"

namespace rhc {

namespace {

void refuse_belief(const BeliefRecord& record, const SystemSpec& spec) {
  throw InputError(
      fmt::format("the belief after episode {} is not one about '{}'", record.episode, spec.name));
}

FeatureDraws draws(const Config& config, const SystemSpec& spec, const std::string& purpose,
                   std::uint64_t draw, int shared, int by_output) {
  FeatureDraws result{
      draw_features(shared, spec.inputs(), RandomStream(config.seed, purpose, draw))};
  if (!fits_each_output(config, spec)) return result;
  const auto outputs = static_cast<std::uint64_t>(spec.outputs());
  for (std::uint64_t j = 0; j < outputs; ++j)
    result.by_output.push_back(
        draw_features(by_output, spec.inputs(),
                      RandomStream(config.seed, purpose + " of an output", draw * outputs + j)));
  return result;
}

BayesianLinearModel prior_of(const PosteriorRecord& record, FourierFeatures draw) {
  draw.centre = record.centre;
  draw.scale = record.scale;
  return {std::move(draw), record.hyperparameters, record.outputs};
}

}  // namespace

FeatureDraws run_features(const Config& config, const SystemSpec& spec, std::uint64_t draw) {
  return draws(config, spec, "features", draw, features_for(config, spec),
               output_features_for(config, spec));
}

FourierFeatures network_features(SineLayers layers) {
  const Index inputs = layers.front().weights.cols();
  FourierFeatures features{std::move(layers.back().weights), std::move(layers.back().phase),
                           Vector::Ones(inputs)};
  layers.pop_back();
  features.hidden = std::move(layers);
  return features;
}

SineLayers layers_of(const FourierFeatures& features) {
  SineLayers layers = features.hidden;
  layers.push_back({features.P, features.phase});
  return layers;
}

FeatureDraws wide_features(const Config& config, const SystemSpec& spec) {
  return draws(config, spec, "wide features", 0,
               forecast_features_for(config, features_for(config, spec)),
               forecast_features_for(config, output_features_for(config, spec)));
}

void share_networks(std::vector<BeliefRecord>& beliefs) {
  const BeliefRecord* last = nullptr;
  for (BeliefRecord& belief : beliefs) {
    if (belief.network == 0) continue;
    if (belief.layers)
      last = &belief;
    else if (last && last->network == belief.network)
      belief.layers = last->layers;
  }
}

PosteriorRecord record_of(const BayesianLinearModel& posterior) {
  return {.hyperparameters = posterior.hyperparameters(),
          .outputs = posterior.outputs,
          .centre = posterior.features.centre,
          .scale = posterior.features.scale};
}

DynamicsModel rebuild(const BeliefRecord& record, const Config& config, const SystemSpec& spec,
                      const std::vector<Transitions>& episodes) {
  const auto fits = [&](const PosteriorRecord& posterior, Index outputs) {
    const Index n = spec.inputs(), affine = posterior.centre.size();
    return posterior.hyperparameters.bandwidth.size() == n &&
           posterior.hyperparameters.noise.size() == outputs &&
           posterior.outputs.scale.size() == outputs && (affine == 0 || affine == n) &&
           posterior.scale.size() == affine;
  };
  const bool shared = record.posteriors.size() == 1;
  if (!shared && static_cast<Index>(record.posteriors.size()) != spec.outputs())
    refuse_belief(record, spec);
  for (const PosteriorRecord& posterior : record.posteriors)
    if (!fits(posterior, shared ? spec.outputs() : 1)) refuse_belief(record, spec);

  FeatureDraws draws = run_features(config, spec, record.draw);
  if (record.network > 0) {
    if (!shared || !record.layers || record.layers->empty() ||
        record.layers->front().weights.cols() != spec.inputs())
      refuse_belief(record, spec);
    draws.shared = network_features(*record.layers);
  }
  if (!shared && draws.by_output.empty()) refuse_belief(record, spec);
  std::vector<OutputGroup> groups;
  for (std::size_t j = 0; j < record.posteriors.size() && !shared; ++j)
    groups.push_back(
        {{static_cast<Index>(j)}, prior_of(record.posteriors[j], std::move(draws.by_output[j]))});
  Regression regression = shared
                              ? Regression(prior_of(record.posteriors[0], std::move(draws.shared)))
                              : Regression(std::move(groups));
  regression.known = spec.known;
  regression.learn(remembered(episodes, config.model.forgetting));
  return {std::move(regression), shape_of(spec, config.plan.stay_inside)};
}

}  // namespace rhc
