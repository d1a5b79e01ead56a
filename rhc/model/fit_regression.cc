#include "rhc/model/fit_regression.h"

#include <fmt/format.h>

#include <utility>

namespace rhc {

namespace {

// Of so few, also the fit that is not chosen is worth having: forecasts are made with both.
constexpr Index kFewTransitions = 300;

// Nats a value by which posteriors of their own must explain the data better. Less than that they
// do nearly always where there is noise, and plans made with them fare worse in the true system.
constexpr double kClearlyBetter = 0.2;

// Where next to nothing is left that noise has to explain, outputs do not differ in it. Plans are
// then better with the features of all of them.
bool explains_all(const Regression& shared) {
  constexpr double kNextToNothing = 0.01;
  return (shared.groups[0].posterior.noise.array() < kNextToNothing).all();
}

FittedRegression fit_shared(const FourierFeatures& draw, const Transitions& data,
                            const EvidenceSettings& settings, const LastFits& last) {
  FittedModel fitted = fit_model(draw, data, settings, last.shared);
  return {.regression = std::move(fitted.model),
          .last = {.shared = fitted.fit.hyperparameters},
          .log_evidence = fitted.fit.log_evidence,
          .at_bound = std::move(fitted.fit.at_bound)};
}

FittedRegression fit_separate(const std::vector<FourierFeatures>& draws, const Transitions& data,
                              EvidenceSettings settings, const LastFits& last) {
  // Caution is measured against the evidence of all outputs together.
  settings.caution /= static_cast<double>(draws.size());
  std::vector<OutputGroup> groups;
  LastFits now;
  double log_evidence = 0;
  std::vector<std::string> at_bound;
  for (std::size_t j = 0; j < draws.size(); ++j) {
    const auto output = static_cast<Index>(j);
    const auto before = last.by_output.empty() ? std::nullopt : std::optional(last.by_output[j]);
    FittedModel fitted = fit_model(with_affine_part(draws[j], data.inputs),
                                   {data.inputs, data.outputs.row(output)}, settings, before);
    log_evidence += fitted.fit.log_evidence;
    for (const std::string& name : fitted.fit.at_bound)
      at_bound.push_back(fmt::format("output {}: {}", output, name));
    now.by_output.push_back(fitted.fit.hyperparameters);
    groups.push_back({{output}, std::move(fitted.model)});
  }
  return {.regression = Regression(std::move(groups)),
          .last = std::move(now),
          .log_evidence = log_evidence,
          .at_bound = std::move(at_bound)};
}

}  // namespace

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
  if (sharing == Sharing::shared || draws.by_output.empty())
    return fit_shared(draws.shared, data, settings, last);
  if (sharing == Sharing::separate) return fit_separate(draws.by_output, data, settings, last);
  FittedRegression shared = fit_shared(draws.shared, data, settings, last);
  const bool explained = explains_all(shared.regression);
  if (explained && data.count() > kFewTransitions) return shared;
  FittedRegression separate = fit_separate(draws.by_output, data, settings, last);
  const double gain =
      (separate.log_evidence - shared.log_evidence) / static_cast<double>(data.outputs.size());
  FittedRegression& better = !explained && gain > kClearlyBetter ? separate : shared;
  better.last = {.shared = shared.last.shared, .by_output = separate.last.by_output};
  return std::move(better);
}

}  // namespace rhc
