#include "rhc/model/widen.h"

#include <utility>

namespace rhc {

namespace {

// Fewer data leave more doubt, never less: of more than these every second or third is enough.
constexpr Index kMostTransitions = 1000;

Transitions thinned(const Transitions& data) {
  const Index every = (data.count() + kMostTransitions - 1) / kMostTransitions;
  if (every <= 1) return data;
  const auto taken = Eigen::seq(0, data.count() - 1, every);
  return {data.inputs(Eigen::all, taken), data.outputs(Eigen::all, taken),
          data.weights.size() > 0 ? Vector(data.weights(taken)) : Vector()};
}

// Prior amplitudes are kept: they are the number of sines over their precision.
BayesianLinearModel in_wide_features(const BayesianLinearModel& posterior,
                                     const FourierFeatures& draw) {
  FourierFeatures features = posterior.features;
  features.P = draw.P;
  features.phase = draw.phase;
  Hyperparameters hyperparameters = posterior.hyperparameters();
  hyperparameters.prior_precision *=
      static_cast<double>(draw.sines()) / static_cast<double>(posterior.features.sines());
  return {std::move(features), hyperparameters, posterior.outputs};
}

// The fits before any data.
std::vector<Regression> priors_of(const LastFits& fits, const FeatureDraws& draws,
                                  const Transitions& data) {
  std::vector<Regression> priors;
  if (fits.shared)
    priors.emplace_back(
        BayesianLinearModel(draws.shared, *fits.shared, standardization_of(data.outputs)));
  if (fits.by_output.empty()) return priors;
  std::vector<OutputGroup> groups;
  for (std::size_t j = 0; j < fits.by_output.size(); ++j) {
    const auto output = static_cast<Index>(j);
    groups.push_back({{output},
                      {with_affine_part(draws.by_output[j], data.inputs), fits.by_output[j],
                       standardization_of(data.outputs.row(output))}});
  }
  priors.emplace_back(std::move(groups));
  return priors;
}

// The same fit with other plausible hyperparameters in each group.
std::vector<Regression> variations_of(const Regression& fit, const Transitions& data,
                                      const EvidenceSettings& settings, int count) {
  std::vector<Regression> all(static_cast<std::size_t>(count), fit.prior());
  for (std::size_t g = 0; g < fit.groups.size(); ++g) {
    const auto& [outputs, posterior] = fit.groups[g];
    // Nothing was fitted to what never changed.
    if (never_changes(data.outputs(outputs, Eigen::all))) continue;
    const std::vector<Hyperparameters> drawn = plausible_hyperparameters(
        posterior.features, {data.inputs, data.outputs(outputs, Eigen::all), data.weights},
        posterior.outputs, settings, posterior.hyperparameters(), count);
    for (std::size_t k = 0; k < drawn.size(); ++k)
      all[k].groups[g].posterior =
          BayesianLinearModel(posterior.features, drawn[k], posterior.outputs);
  }
  return all;
}

int variations_for(Index transitions) {
  return transitions <= 150 ? 3 : transitions <= 300 ? 2 : transitions <= 500 ? 1 : 0;
}

}  // namespace

Regression widened(const Regression& fitted, const FeatureDraws& wide, const Transitions& data,
                   const StopSignal& stop) {
  std::vector<OutputGroup> groups;
  for (std::size_t g = 0; g < fitted.groups.size(); ++g)
    groups.push_back({fitted.groups[g].outputs,
                      in_wide_features(fitted.groups[g].posterior,
                                       fitted.shared() ? wide.shared : wide.by_output[g])});
  Regression result(std::move(groups));
  result.known = fitted.known;
  result.learn(thinned(data), stop);
  return result;
}

std::vector<std::shared_ptr<const Regression>> possible_fits(
    const LastFits& fits, const FeatureDraws& draws, const FeatureDraws& wide,
    const Transitions& data, const EvidenceSettings& settings, const KnownMotion& known) {
  const Transitions rest = known ? left_to_learn(known, data) : data;
  std::vector<std::shared_ptr<const Regression>> all;
  const auto add = [&](const Regression& fit) {
    Regression wider = widened(fit, wide, rest, settings.stop);
    wider.known = known;
    all.push_back(std::make_shared<const Regression>(std::move(wider)));
  };
  for (const Regression& kind : priors_of(fits, draws, rest)) {
    add(kind);
    for (const Regression& other :
         variations_of(kind, rest, settings, variations_for(data.count())))
      add(other);
  }
  return all;
}

}  // namespace rhc
