#include "rhc/model/maximize_evidence.h"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/model/evidence.h"

namespace rhc {

namespace {

// The search runs over theta = (log nu_1, ..., log nu_n, log lambda); the noise has a closed form.
struct Bounds {
  Vector lower, upper;
};

Bounds bounds_of(const Vector& distance, Index transitions, Index features) {
  // Below about this prior precision, A is lost in the rounding errors of Phi' Phi.
  const double rounding = 0.1 * std::numeric_limits<double>::epsilon() *
                          static_cast<double>(transitions) * static_cast<double>(features);
  const Index n = distance.size();
  Bounds bounds{Vector(n + 1), Vector(n + 1)};
  bounds.lower << (0.02 * distance).array().log(), std::log(std::max(1e-12, rounding));
  bounds.upper << (1000 * distance).array().log(), std::log(1e4);
  return bounds;
}

// A subset of data and features on which many points can be tried.
struct Problem {
  FourierFeatures draw;
  Matrix inputs, outputs;
};

struct Objective {
  Objective(const Problem& problem, const EvidenceSettings& s, double c)
      : evidence(problem.draw, problem.inputs, problem.outputs, s.region),
        settings(s),
        caution(c) {}

  // Log evidence and caution; the gradient is wanted where it is not null.
  double operator()(const Eigen::Ref<const Vector>& theta, double* gradient) {
    ++evaluations;
    const Index n = theta.size() - 1;
    if (!evidence.set(theta.head(n), theta[n])) {
      if (gradient) std::fill(gradient, gradient + n + 1, 0.0);
      return -1e300;  // finite, so that the line search steps back
    }
    const Vector noise = evidence.best_noise(settings.noise_floor);
    if (gradient) {
      const Evidence::Gradient g = evidence.gradient(noise, caution);
      Eigen::Map<Vector>(gradient, n) = g.log_bandwidth;
      gradient[n] = g.log_prior;
      if (settings.bandwidth == BandwidthRule::mean_distance)
        std::fill(gradient, gradient + n, 0.0);
    }
    return evidence.value(noise) + caution * evidence.uncertainty();
  }

  const Matrix no_region;
  Evidence evidence;
  const EvidenceSettings& settings;
  double caution;
  int evaluations = 0;
};

struct Candidate {
  Vector theta;
  double value;
};

// Follows the gradient from a point and returns the best point met on the way.
Candidate climb(Objective& objective, const Bounds& bounds, const Vector& start, double tolerance,
                int most_evaluations) {
  struct State {
    Objective& objective;
    Candidate best;
  } state{objective, {start, -kInfinity}};
  const auto function = [](unsigned n, const double* x, double* gradient, void* data) {
    State& s = *static_cast<State*>(data);
    const Eigen::Map<const Vector> theta(x, n);
    const double value = s.objective(theta, gradient);
    if (value > s.best.value) s.best = {theta, value};
    return value;
  };

  const unsigned size = static_cast<unsigned>(start.size());
  const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> optimizer(
      nlopt_create(NLOPT_LD_LBFGS, size), &nlopt_destroy);
  nlopt_set_lower_bounds(optimizer.get(), bounds.lower.data());
  nlopt_set_upper_bounds(optimizer.get(), bounds.upper.data());
  nlopt_set_max_objective(optimizer.get(), function, &state);
  nlopt_set_ftol_abs(optimizer.get(), tolerance);
  nlopt_set_maxeval(optimizer.get(), most_evaluations);
  Vector theta = start.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
  double value = 0;
  // A line search that gives up at rounding level is no failure: the best point met is kept.
  nlopt_optimize(optimizer.get(), theta.data(), &value);
  return state.best;
}

void sort_by_value(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.value > b.value; });
}

Problem subset(const Problem& all, Index features, Index transitions, std::uint64_t seed) {
  // The first `transitions` of a random order of all of them.
  std::vector<Index> order(static_cast<std::size_t>(all.inputs.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  RandomStream randomness(seed, "evidence subset");
  for (std::size_t i = 0; i < static_cast<std::size_t>(transitions); ++i)
    std::swap(order[i], order[i + randomness.below(order.size() - i)]);
  order.resize(static_cast<std::size_t>(transitions));
  return {{all.draw.P.topRows(features), all.draw.phase.head(features), all.draw.bandwidth},
          all.inputs(Eigen::all, order),
          all.outputs(Eigen::all, order)};
}

// Points from which to climb: the mean distances, and random multiples of them.
std::vector<Vector> starts_around(const Vector& distance, const Bounds& bounds, Index features,
                                  const EvidenceSettings& settings) {
  const Index n = distance.size();
  std::vector<Vector> starts;
  for (int i = 0; i < std::max(1, settings.starts); ++i) {
    RandomStream randomness(settings.seed, "evidence start", static_cast<std::uint64_t>(i));
    Vector theta(n + 1);
    theta << distance.array().log(), std::log(1e-4 * static_cast<double>(features));
    if (i > 0) {
      const double common = randomness.uniform(-0.5, 4);
      for (Index j = 0; j < n; ++j) theta[j] += common + randomness.normal();
      theta[n] = randomness.uniform(std::log(1e-11), std::log(1.0));
    }
    starts.push_back(theta.cwiseMax(bounds.lower).cwiseMin(bounds.upper));
  }
  return starts;
}

}  // namespace

EvidenceFit maximize_evidence(const FourierFeatures& draw, const Transitions& data,
                              const Standardization& standardization,
                              const EvidenceSettings& settings,
                              const std::optional<Hyperparameters>& previous) {
  check(data, draw.inputs(), standardization.scale.size());
  if (data.count() == 0) throw InputError("there are no transitions to learn from");
  const Problem all{draw, data.inputs, standardization.apply(data.outputs)};
  const Index n = draw.inputs(), N = data.count(), M = draw.count();
  const double values = static_cast<double>(N) * static_cast<double>(all.outputs.rows());
  const Vector distance = mean_pairwise_distance(data.inputs);

  Bounds bounds = bounds_of(distance, N, M);
  if (settings.bandwidth == BandwidthRule::mean_distance)
    bounds.lower.head(n) = bounds.upper.head(n) = distance.array().log();

  // Many points are tried on a part of the data, and the best of them followed there.
  constexpr Index kFewFeatures = 100, kFewTransitions = 300;
  const Problem part =
      subset(all, std::min(M, kFewFeatures), std::min(N, kFewTransitions), settings.seed);
  const double part_of_features = static_cast<double>(M) / static_cast<double>(part.draw.count());
  const double part_values =
      static_cast<double>(part.inputs.cols()) * static_cast<double>(all.outputs.rows());
  std::vector<Vector> starts = starts_around(distance, bounds, part.draw.count(), settings);
  if (previous) {
    Vector theta(n + 1);
    theta << previous->bandwidth.array().log(),
        std::log(previous->prior_precision / part_of_features);
    starts.push_back(theta.cwiseMax(bounds.lower).cwiseMin(bounds.upper));
  }
  std::vector<Candidate> candidates;
  for (const Vector& start : starts) candidates.push_back({start, -kInfinity});
  // Values all candidates with this much caution and follows the best of them.
  const auto follow = [&](double caution, std::size_t followed) {
    parallel_for(static_cast<int>(candidates.size()), settings.threads, [&](int i) {
      Candidate& candidate = candidates[static_cast<std::size_t>(i)];
      candidate.value = Objective(part, settings, caution)(candidate.theta, nullptr);
    });
    sort_by_value(candidates);
    parallel_for(static_cast<int>(std::min(followed, candidates.size())), settings.threads,
                 [&](int i) {
                   Candidate& candidate = candidates[static_cast<std::size_t>(i)];
                   Objective objective(part, settings, caution);
                   candidate = climb(objective, bounds, candidate.theta, 1e-4 * part_values, 60);
                 });
    sort_by_value(candidates);
  };

  // A factor e in the prior's width costs the evidence half a nat for each parameter that the data
  // determine, and gains caution half its worth: caution stays below that, or it alone would
  // decide.
  double caution = 0;
  if (settings.caution > 0 && settings.region.cols() > 0) {
    follow(0, 1);
    Objective objective(part, settings, 0);
    objective(candidates[0].theta, nullptr);
    caution = std::min(settings.caution, 0.8 * static_cast<double>(all.outputs.rows()) *
                                             objective.evidence.effective_parameters());
  }
  follow(caution, 3);

  // The best is finished on all data.
  Objective objective(all, settings, caution);
  Vector theta = candidates[0].theta;
  theta[n] = std::clamp(theta[n] + std::log(part_of_features), bounds.lower[n], bounds.upper[n]);
  // Where rounding makes A indefinite all the same, more prior precision heals it.
  while (!objective.evidence.set(theta.head(n), theta[n]) && theta[n] < bounds.upper[n])
    theta[n] += std::log(10.0);
  const Candidate best = climb(objective, bounds, theta, 1e-4 * values, 40);
  objective(best.theta, nullptr);

  EvidenceFit fit;
  const Vector noise = objective.evidence.best_noise(settings.noise_floor);
  fit.hyperparameters = {best.theta.head(n).array().exp(), std::exp(best.theta[n]), noise};
  fit.caution = caution;
  fit.objective = best.value;
  fit.log_evidence = objective.evidence.value(noise) -
                     static_cast<double>(N) * standardization.scale.array().log().sum();
  fit.evaluations = objective.evaluations;
  for (Index j = 0; j <= n; ++j) {
    const bool fixed = bounds.lower[j] == bounds.upper[j];
    if (!fixed && (best.theta[j] <= bounds.lower[j] || best.theta[j] >= bounds.upper[j]))
      fit.at_bound.push_back(j < n ? fmt::format("bandwidth[{}]", j) : "prior_precision");
  }
  for (Index j = 0; j < noise.size(); ++j)
    if (noise[j] <= settings.noise_floor) fit.at_bound.push_back(fmt::format("noise[{}]", j));
  return fit;
}

}  // namespace rhc
