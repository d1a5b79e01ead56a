#include "rhc/model/fit_regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/core/parallel.h"
#include "rhc/model/heavy_tails.h"

namespace rhc {

namespace {

// Of so few, also the fit that is not chosen is worth having: forecasts are made with both.
constexpr Index kFewTransitions = 300;

// Nats a value by which posteriors of their own must explain the data better. Less than that they
// do nearly always where there is noise, and plans made with them fare worse in the true system.
constexpr double kClearlyBetter = 0.2;

// Where next to nothing is left that noise has to explain, outputs do not differ in it. Plans are
// then better with the features of all of them.
bool explains_all(const Regression& regression) {
  static constexpr double kNextToNothing = 0.01;
  return std::ranges::all_of(regression.groups, [](const OutputGroup& group) {
    return (group.posterior.noise.array() < kNextToNothing).all();
  });
}

FittedRegression fit_shared(const FourierFeatures& draw, const Transitions& data,
                            const EvidenceSettings& settings, const LastFits& last) {
  FittedModel fitted = fit_model(draw, data, settings, last.shared);
  return {.regression = std::move(fitted.model),
          .last = {.shared = fitted.fit.hyperparameters},
          .log_evidence = fitted.fit.log_evidence,
          .at_bound = std::move(fitted.fit.at_bound)};
}

// An output that never changed tells nothing of how it changes where nobody looked: its evidence
// is the greatest for a function that is zero everywhere, and that would be certainty. So it is
// held possible that, in a step, it changes by a share of what it varies in the region of interest,
// over such distances as there are in that region; less near what was seen.
FittedModel fit_without_change(const FourierFeatures& draw, const Transitions& data,
                               const EvidenceSettings& settings, Index output) {
  constexpr double kShare = 0.1;
  const Matrix& looked_at = settings.region.cols() > 1 ? settings.region : data.inputs;
  const double spread = kShare * standardization_of(looked_at.row(output)).scale[0];
  const double noise = spread / std::sqrt(1 + static_cast<double>(data.count()));
  // A sine's square is a half in the mean.
  const auto precision = [&](Index features) {
    return 0.5 * static_cast<double>(features) * std::pow(noise / spread, 2);
  };
  const Hyperparameters fit{mean_pairwise_distance(looked_at), precision(draw.sines()),
                            Vector::Constant(1, noise),
                            draw.affine() > 0 ? precision(2 * draw.affine()) : 0};
  BayesianLinearModel model(draw, fit, standardization_of(data.outputs));
  model.learn(data, settings.stop);
  return {std::move(model),
          {.hyperparameters = fit,
           .log_evidence = 0,  // nothing was fitted
           .caution = 0,
           .objective = 0,
           .at_bound = {},
           .evaluations = 0}};
}

FittedRegression fit_separate(const std::vector<FourierFeatures>& draws, const Transitions& data,
                              EvidenceSettings settings, const LastFits& last) {
  // Caution is measured against the evidence of all outputs together.
  settings.caution /= static_cast<double>(draws.size());
  // Threads have an output each, where there are enough of them.
  const int threads = settings.threads;
  if (draws.size() > 1) settings.threads = 1;
  std::vector<std::optional<FittedModel>> fitted(draws.size());
  parallel_for(static_cast<int>(draws.size()), threads, settings.stop, [&](int output) {
    const auto j = static_cast<std::size_t>(output);
    const auto before = last.by_output.empty() ? std::nullopt : std::optional(last.by_output[j]);
    const Transitions of_output{data.inputs, data.outputs.row(output), data.weights};
    const FourierFeatures draw = with_affine_part(draws[j], data.inputs);
    fitted[j] = never_changes(of_output.outputs)
                    ? fit_without_change(draw, of_output, settings, output)
                    : fit_model(draw, of_output, settings, before);
  });
  std::vector<OutputGroup> groups;
  LastFits now;
  double log_evidence = 0;
  std::vector<std::string> at_bound;
  for (std::size_t j = 0; j < draws.size(); ++j) {
    EvidenceFit& fit = fitted[j]->fit;
    log_evidence += fit.log_evidence;
    for (const std::string& name : fit.at_bound)
      at_bound.push_back(fmt::format("output {}: {}", j, name));
    now.by_output.push_back(std::move(fit.hyperparameters));
    groups.push_back({{static_cast<Index>(j)}, std::move(fitted[j]->model)});
  }
  return {.regression = Regression(std::move(groups)),
          .last = std::move(now),
          .log_evidence = log_evidence,
          .at_bound = std::move(at_bound)};
}

// Hyperparameters and weights where each transition counts as it is given.
FittedRegression fit_as_given(const FeatureDraws& draws, const Transitions& data, Sharing sharing,
                              const EvidenceSettings& settings, const LastFits& last) {
  if (sharing == Sharing::shared || draws.by_output.empty())
    return fit_shared(draws.shared, data, settings, last);
  if (sharing == Sharing::separate) return fit_separate(draws.by_output, data, settings, last);
  FittedRegression shared = fit_shared(draws.shared, data, settings, last);
  const bool explained = explains_all(shared.regression);
  if (explained && data.count() > kFewTransitions) return shared;
  FittedRegression separate = fit_separate(draws.by_output, data, settings, last);
  const double gain = (separate.log_evidence - shared.log_evidence) /
                      (data.counted() * static_cast<double>(data.outputs.rows()));
  FittedRegression& better = !explained && gain > kClearlyBetter ? separate : shared;
  better.last = {.shared = shared.last.shared, .by_output = separate.last.by_output};
  return std::move(better);
}

// What lies far outside the bulk is set aside, in fits that follow one another until no more does.
// Where that is more than a few transitions, only if the bulk is then predicted far better, one
// left out after the other: what belongs to the motion, such as a stop that a joint runs into now
// and then, spoils nothing when it counts, and is missed when it does not.
FittedRegression set_outliers_aside(FittedRegression plain, const FeatureDraws& draws,
                                    const Transitions& data, Sharing sharing,
                                    const EvidenceSettings& settings) {
  constexpr int kRounds = 5;
  constexpr double kFew = 0.005, kMost = 0.05, kFarBetter = 0.5;
  const LeftOut before = left_out(plain.regression, data);
  LeftOut now = before;
  Vector weights = Vector::Ones(data.count());
  FittedRegression robust{plain.regression, plain.last, plain.log_evidence};
  const auto worth_it = [&] {
    const Vector in_bulk = (weights.array() == 1).cast<double>();
    const double aside = 1 - in_bulk.mean();
    if (aside <= kFew) return true;
    const auto error = [&](const LeftOut& left) -> Vector {
      return (left.off.cwiseProduct(left.deviation).cwiseAbs2() * in_bulk).cwiseSqrt();
    };
    return aside <= kMost && (error(now).array() < kFarBetter * error(before).array()).any();
  };
  for (int round = 0; round < kRounds; ++round) {
    const Vector next = weights_by(tails_of(now.off), now.off);
    if (next == weights) break;
    weights = next;
    Transitions weighted = data;
    weighted.weights =
        data.weights.size() > 0 ? Vector(data.weights.cwiseProduct(weights)) : weights;
    robust = fit_as_given(draws, weighted, sharing, settings, robust.last);
    now = left_out(robust.regression, weighted);
    if (!worth_it()) return plain;
  }
  if ((weights.array() == 1).all()) return plain;
  robust.weights = std::move(weights);
  robust.off = std::move(now.off);
  return robust;
}

}  // namespace

bool never_changes(const Matrix& outputs) {
  return (outputs.rowwise().maxCoeff() - outputs.rowwise().minCoeff()).isZero(0);
}

FourierFeatures with_affine_part(FourierFeatures draw, const Matrix& inputs) {
  const Standardization of_inputs = standardization_of(inputs);
  draw.centre = of_inputs.mean;
  draw.scale = of_inputs.scale;
  return draw;
}

FittedRegression fit_regression(const FeatureDraws& draws, const Transitions& data, Sharing sharing,
                                const EvidenceSettings& settings, const LastFits& last,
                                const KnownMotion& known) {
  check(data, draws.shared.inputs(), data.outputs.rows());
  if (known) {
    FittedRegression fitted =
        fit_regression(draws, left_to_learn(known, data), sharing, settings, last);
    fitted.regression.known = known;
    return fitted;
  }
  FittedRegression fitted = fit_as_given(draws, data, sharing, settings, last);
  const bool noisy = !explains_all(fitted.regression);
  if (!settings.set_outliers_aside || !noisy) return fitted;
  return set_outliers_aside(std::move(fitted), draws, data, sharing, settings);
}

}  // namespace rhc
