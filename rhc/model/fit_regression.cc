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
  // Where next to nothing is left that noise has to explain, outputs do not differ in it. Plans are
  // then better with the features of all of them.
  const bool explained = explains_all(shared.regression);
  if (explained && data.count() > kFewTransitions) return shared;
  FittedRegression separate = fit_separate(draws.by_output, data, settings, last);
  const double gain = (separate.log_evidence - shared.log_evidence) /
                      (data.counted() * static_cast<double>(data.outputs.rows()));
  FittedRegression& better = !explained && gain > kClearlyBetter ? separate : shared;
  better.last = {.shared = shared.last.shared, .by_output = separate.last.by_output};
  return std::move(better);
}

// Nats by which the transitions that count in full are predicted better by one fit than by another,
// one left out after the other, in the mean over them; of the output that gains most.
double gain(const LeftOut& fit, const LeftOut& other, const Vector& weights) {
  const Vector in_bulk = (weights.array() == 1).cast<double>();
  const auto nats = [&](const LeftOut& of) -> Vector {
    return -(0.5 * of.off.array().square() + of.deviation.array().log()).matrix() * in_bulk;
  };
  return (nats(fit) - nats(other)).maxCoeff() / in_bulk.sum();
}

// What lies far outside the bulk is set aside, in fits that follow one another until no more does.
// Where that is more than a few transitions, only if the rest is then predicted far better: what
// belongs to the motion, such as a stop that a joint runs into now and then, spoils nothing when it
// counts, and is missed when it does not. Where noise has next to nothing to explain, it is what
// features cannot follow that has heavy tails: there the rest always decides.
FittedRegression set_outliers_aside(FittedRegression plain, const FeatureDraws& draws,
                                    const Transitions& data, Sharing sharing,
                                    const EvidenceSettings& settings, const LastFits& last,
                                    const Vector& suspected) {
  constexpr int kRounds = 5;
  constexpr double kMost = 0.05, kFarBetter = 1;
  const double few = explains_all(plain.regression) ? 0 : 0.005;
  FittedRegression best = std::move(plain);
  LeftOut now = left_out(best.regression, data, settings.threads, settings.stop);
  Vector weights = Vector::Ones(data.count());
  // The plain fit may have been led far astray.
  LastFits begin = last;
  for (int round = 0; round < kRounds; ++round) {
    // An extreme that is alone at its place bends the fit until it lies near and others do not.
    const bool first = round == 0 && suspected.size() > 0 && !suspected.isOnes(0);
    const Vector next = first ? suspected : weights_by(tails_of(now.off), now.off);
    const double aside = (next.array() != 1).cast<double>().mean();
    if (next == weights || aside > kMost) break;
    Transitions weighted = data;
    weighted.weights = data.weights.size() > 0 ? Vector(data.weights.cwiseProduct(next)) : next;
    FittedRegression fitted = fit_as_given(draws, weighted, sharing, settings, begin);
    LeftOut left = left_out(fitted.regression, weighted, settings.threads, settings.stop);
    const bool more = (next.array() < weights.array()).any();
    if (more && aside > few && gain(left, now, next) < kFarBetter) {
      if (first) continue;
      break;
    }
    best = std::move(fitted);
    begin = best.last;
    now = std::move(left);
    weights = next;
  }
  if (weights.isOnes(0)) {
    best.weights.resize(0);
    return best;
  }
  best.weights = std::move(weights);
  best.off = std::move(now.off);
  return best;
}

}  // namespace

bool explains_all(const Regression& regression) {
  static constexpr double kNextToNothing = 0.01;
  return std::ranges::all_of(regression.groups, [](const OutputGroup& group) {
    return (group.posterior.noise.array() < kNextToNothing).all();
  });
}

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
                                const KnownMotion& known, const Vector& suspected) {
  check(data, draws.shared.inputs(), data.outputs.rows());
  if (known) {
    FittedRegression fitted =
        fit_regression(draws, left_to_learn(known, data), sharing, settings, last, {}, suspected);
    fitted.regression.known = known;
    return fitted;
  }
  FittedRegression fitted = fit_as_given(draws, data, sharing, settings, last);
  if (!settings.set_outliers_aside) return fitted;
  return set_outliers_aside(std::move(fitted), draws, data, sharing, settings, last, suspected);
}

}  // namespace rhc
