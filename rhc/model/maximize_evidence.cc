#include "rhc/model/maximize_evidence.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/model/climb.h"
#include "rhc/model/evidence.h"
#include "rhc/model/forgetting.h"
#include "rhc/model/kernel_evidence.h"
#include "rhc/model/left_out_blocks.h"

namespace rhc {

namespace {

// The search runs over theta = (log nu_1, ..., log nu_n, log (lambda / M)), and the log lambda of
// affine features where there are any; the noise has a closed form. Dividing by M gives a point the
// same meaning whatever the number of features.
Bounds bounds_of(const Vector& distance, Index transitions, const FourierFeatures& draw) {
  const Index features = draw.sines(), affine = draw.affine() > 0 ? 1 : 0;
  // Below about this prior precision, A is lost in the rounding errors of Phi' Phi.
  const double rounding = 0.1 * std::numeric_limits<double>::epsilon() *
                          static_cast<double>(transitions) * static_cast<double>(features);
  const Index n = distance.size();
  Bounds bounds{Vector(n + 1 + affine), Vector(n + 1 + affine)};
  const double M = static_cast<double>(features);
  bounds.lower.head(n + 1) << (0.02 * distance).array().log(),
      std::log(std::max(1e-12, rounding) / M);
  bounds.upper.head(n + 1) << (1000 * distance).array().log(), std::log(1e4 / M);
  bounds.lower.tail(affine).setConstant(std::log(std::max(1e-12, rounding)));
  bounds.upper.tail(affine).setConstant(std::log(1e4));
  return bounds;
}

// A subset of data and features on which many points can be tried.
struct EvidenceProblem {
  FourierFeatures draw;
  Matrix inputs, outputs;
  Vector root_weights{};
};

EvidenceProblem problem_of(const FourierFeatures& draw, const Transitions& data,
                           const Standardization& standardization) {
  EvidenceProblem problem{draw, data.inputs, standardization.apply(data.outputs),
                          data.weights.cwiseSqrt()};
  weigh(problem.root_weights, problem.outputs);
  return problem;
}

double counted(const EvidenceProblem& problem) {
  return problem.root_weights.size() > 0 ? problem.root_weights.squaredNorm()
                                         : static_cast<double>(problem.inputs.cols());
}

// The value of a point where A is numerically singular: finite, so that a line search steps back.
constexpr double kFailed = -1e300;

// Of the problem's features, or of infinitely many: Kind is Evidence or KernelEvidence.
template <class Kind = Evidence>
struct CautiousEvidence {
  CautiousEvidence(const EvidenceProblem& problem, const EvidenceSettings& s, double c)
      : evidence(problem.draw, problem.inputs, problem.outputs, c > 0 ? s.region : no_region,
                 problem.root_weights, s.stop),
        settings(s),
        caution(c),
        log_features(std::is_same_v<Kind, KernelEvidence>
                         ? 0
                         : std::log(static_cast<double>(problem.draw.sines()))),
        inputs(problem.draw.inputs()) {}

  // Log evidence and caution; the gradient is wanted where it is not null.
  double operator()(const Eigen::Ref<const Vector>& theta, double* gradient) {
    ++evaluations;
    const Index n = inputs;
    const bool affine = theta.size() > n + 1;
    if (!evidence.set(theta.head(n), theta[n] + log_features, affine ? theta[n + 1] : 0)) {
      if (gradient) std::fill(gradient, gradient + theta.size(), 0.0);
      return kFailed;
    }
    const Vector noise = evidence.best_noise(settings.noise_floor);
    if (gradient) {
      const EvidenceGradient g = evidence.gradient(noise, caution);
      Eigen::Map<Vector>(gradient, n) = g.log_bandwidth;
      gradient[n] = g.log_prior;
      if (affine) gradient[n + 1] = g.log_affine;
      if (settings.bandwidth == BandwidthRule::mean_distance)
        std::fill(gradient, gradient + n, 0.0);
    }
    return evidence.value(noise) + caution * evidence.uncertainty();
  }

  const Matrix no_region;  // before `evidence`, which may refer to it
  Kind evidence;
  const EvidenceSettings& settings;
  const double caution, log_features;
  const Index inputs;
  int evaluations = 0;
};

EvidenceProblem subset(const EvidenceProblem& all, Index features, Index transitions,
                       std::uint64_t seed) {
  // The first `transitions` of a random order of all of them.
  std::vector<Index> order(static_cast<std::size_t>(all.inputs.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  RandomStream randomness(seed, "evidence subset");
  for (std::size_t i = 0; i < static_cast<std::size_t>(transitions); ++i)
    std::swap(order[i], order[i + randomness.below(order.size() - i)]);
  order.resize(static_cast<std::size_t>(transitions));
  return {{all.draw.P.topRows(features), all.draw.phase.head(features), all.draw.bandwidth,
           all.draw.centre, all.draw.scale},
          all.inputs(Eigen::all, order),
          all.outputs(Eigen::all, order),
          all.root_weights.size() > 0 ? Vector(all.root_weights(order)) : Vector()};
}

Vector theta_of(const Hyperparameters& hyperparameters, const FourierFeatures& draw) {
  const Index n = draw.inputs();
  const bool affine = draw.affine() > 0;
  Vector theta(n + 1 + (affine ? 1 : 0));
  theta.head(n + 1) << hyperparameters.bandwidth.array().log(),
      std::log(hyperparameters.prior_precision / static_cast<double>(draw.sines()));
  if (affine) theta[n + 1] = std::log(hyperparameters.affine_precision);
  return theta;
}

Hyperparameters hyperparameters_at(const Vector& theta, const Vector& noise,
                                   const FourierFeatures& draw) {
  const Index n = draw.inputs();
  return {theta.head(n).array().exp(), std::exp(theta[n]) * static_cast<double>(draw.sines()),
          noise, draw.affine() > 0 ? std::exp(theta[n + 1]) : 0};
}

// Points from which to climb: the mean distances, and random multiples of them.
std::vector<Peak> starts_around(const Vector& distance, bool affine, int count,
                                std::uint64_t seed) {
  const Index n = distance.size();
  std::vector<Peak> starts;
  for (int i = 0; i < std::max(1, count); ++i) {
    RandomStream randomness(seed, "evidence start", static_cast<std::uint64_t>(i));
    Vector theta(n + 1 + (affine ? 1 : 0));
    theta.head(n + 1) << distance.array().log(), std::log(1e-4);
    if (affine) theta[n + 1] = std::log(1e-2);
    if (i > 0) {
      const double common = randomness.uniform(-0.5, 4);
      for (Index j = 0; j < n; ++j) theta[j] += common + randomness.normal();
      theta[n] = randomness.uniform(std::log(1e-13), std::log(1e-2));
      if (affine) theta[n + 1] = randomness.uniform(std::log(1e-8), std::log(1e2));
    }
    starts.push_back({theta, -kInfinity});
  }
  return starts;
}

// In many inputs a few features say little of how many would do, and random multiples of the mean
// distances are all far from the best.
constexpr Index kManyInputs = 8;

// By how much the outputs change over an input's mean distance along the plane that fits them best,
// relative to the mean over inputs.
Vector slopes_of(const EvidenceProblem& problem, const Vector& distance) {
  const Standardization of_inputs = standardization_of(problem.inputs);
  const Matrix z = of_inputs.apply(problem.inputs);
  Matrix gram = z * z.transpose();
  gram.diagonal().array() += 0.01 * static_cast<double>(z.cols());
  const Matrix weights = gram.llt().solve(z * problem.outputs.transpose());
  const Vector slopes =
      weights.rowwise().norm().cwiseProduct(distance).cwiseQuotient(of_inputs.scale);
  return slopes / std::max(slopes.mean(), 1e-300);
}

// Points for many inputs: distances that grow with the number of inputs, as they are, or longer for
// what the outputs follow less by the plane that fits them best.
std::vector<Peak> starts_in_many_inputs(const EvidenceProblem& problem, const Vector& distance,
                                        bool affine, int count, std::uint64_t seed) {
  const Index n = distance.size();
  const Vector slopes = slopes_of(problem, distance);
  const Vector by_slope = (1.5 - slopes.array().max(0.05).log()).max(0).matrix();
  std::vector<Peak> starts;
  for (int i = 0; i < std::max(4, count); ++i) {
    RandomStream randomness(seed, "evidence start in many inputs", static_cast<std::uint64_t>(i));
    Vector theta(n + 1 + (affine ? 1 : 0));
    theta.head(n) = distance.array().log() + 0.5 * std::log(static_cast<double>(n));
    if (i % 2 == 1) theta.head(n) += by_slope;
    theta[n] = randomness.uniform(std::log(1e-8), std::log(1e-1));
    if (affine) theta[n + 1] = randomness.uniform(std::log(1e-6), std::log(1e1));
    theta.head(n).array() += randomness.uniform(-0.5, 2);
    for (Index j = 0; j < n; ++j) theta[j] += 0.4 * randomness.normal();
    starts.push_back({theta, -kInfinity});
  }
  return starts;
}

// A tournament: candidates are valued, the best are kept and followed for a while.
struct Search {
  const Bounds bounds;
  const EvidenceSettings& settings;
  std::vector<Peak> candidates;
  int evaluations = 0;

  template <class Kind = Evidence>
  void round(const EvidenceProblem& problem, double caution, std::size_t kept, int most_evaluations,
             double tolerance_per_value = 1e-3) {
    const double tolerance = tolerance_per_value * static_cast<double>(problem.outputs.size());
    each([&](Peak& candidate) {
      CautiousEvidence<Kind> objective(problem, settings, caution);
      candidate.theta = candidate.theta.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
      candidate.value = objective(candidate.theta, nullptr);
      // Where rounding makes A indefinite, more prior precision heals it.
      const Index n = problem.draw.inputs();
      while (candidate.value <= kFailed && candidate.theta[n] < bounds.upper[n]) {
        candidate.theta.tail(candidate.theta.size() - n).array() += 1;
        candidate.value = objective(candidate.theta, nullptr);
      }
      return objective.evaluations;
    });
    candidates.resize(std::min(candidates.size(), kept));
    each([&](Peak& candidate) {
      CautiousEvidence<Kind> objective(problem, settings, caution);
      candidate = climb(std::ref(objective), bounds, candidate.theta, tolerance, most_evaluations);
      return objective.evaluations;
    });
  }

 private:
  // Spreads the work over threads, counts evaluations, and sorts the best to the front.
  template <class Work>
  void each(const Work& work) {
    std::vector<int> counts(candidates.size());
    parallel_for(static_cast<int>(candidates.size()), settings.threads, settings.stop, [&](int i) {
      const auto k = static_cast<std::size_t>(i);
      counts[k] = work(candidates[k]);
    });
    evaluations += std::accumulate(counts.begin(), counts.end(), 0);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Peak& a, const Peak& b) { return a.value > b.value; });
  }
};

// A factor e in the prior's width costs the evidence half a nat for each parameter that the data
// determine, and gains caution half its worth: caution stays below that, or it alone would decide.
template <class Kind>
double caution_for(const EvidenceProblem& problem, const EvidenceSettings& settings, Search plain,
                   const std::optional<Peak>& last) {
  if (settings.caution <= 0 || settings.region.cols() == 0) return 0;
  const auto most = [&](const Vector& theta) {
    CautiousEvidence<Kind> objective(problem, settings, 0);
    if (objective(theta, nullptr) <= kFailed) return 0.0;
    return 0.8 * static_cast<double>(problem.outputs.rows()) *
           objective.evidence.effective_parameters();
  };
  // Where the last fit leaves plenty of room, the exact bound does not matter.
  if (last && most(last->theta) > 2 * settings.caution) return settings.caution;
  plain.round<Kind>(problem, 0, 1, 30);
  return std::min(settings.caution, most(plain.candidates[0].theta));
}

// Many points are tried on a part of the data and features, and a few on a larger part. The caution
// in force is returned.
double seek(Search& search, const EvidenceProblem& all, const Vector& distance,
            const std::optional<Peak>& last) {
  const EvidenceSettings& settings = search.settings;
  const Index N = all.inputs.cols(), M = all.draw.sines();
  // Where the last fit ended is nearly always near the best: few other points are tried then.
  const int share = last ? 4 : 1;
  search.candidates =
      starts_around(distance, all.draw.affine() > 0, settings.starts / share, settings.seed);
  const EvidenceProblem small =
      subset(all, std::min<Index>(M, 64), std::min<Index>(N, 200), settings.seed);
  const EvidenceProblem larger = subset(all, M, std::min<Index>(N, 400), settings.seed);
  const double caution = caution_for<Evidence>(small, settings, search, last);
  search.round(small, caution, 12 / share, 12);
  search.round(larger, caution, last ? 1 : 5, 10);
  if (!last) search.round(larger, caution, 2, 12);
  return caution;
}

// The same in many inputs, with infinitely many features.
double seek_by_kernel(Search& search, const EvidenceProblem& all, const Vector& distance,
                      const std::optional<Peak>& last) {
  const EvidenceSettings& settings = search.settings;
  const Index N = all.inputs.cols();
  const int share = last ? 4 : 1;
  search.candidates = starts_in_many_inputs(all, distance, all.draw.affine() > 0,
                                            settings.starts / share, settings.seed);
  const EvidenceProblem small = subset(all, 1, std::min<Index>(N, 250), settings.seed);
  const EvidenceProblem larger = subset(all, 1, std::min<Index>(N, 800), settings.seed);
  const double caution = caution_for<KernelEvidence>(small, settings, search, last);
  search.round<KernelEvidence>(small, caution, 8 / share, 40);
  search.round<KernelEvidence>(larger, caution, last ? 1 : 2, 40);
  // So many features as there are may want longer bandwidths.
  const std::vector<Peak> peaks = search.candidates;
  for (const double longer : {0.25, 0.5, 1.0})
    for (Peak peak : peaks) {
      peak.theta.head(distance.size()).array() += longer;
      search.candidates.push_back(std::move(peak));
    }
  return caution;
}

// Of enough transitions every third stretch has no say in the search, so that it can be judged by
// them. More data do not change which these are.
constexpr Index kJudgedTogether = 100, kEnoughToJudge = 300;

bool has_no_say(Index transition) { return transition / kJudgedTogether % 3 == 1; }

// What the search is about: all but the stretches that judge it.
EvidenceProblem taught_of(const EvidenceProblem& all) {
  const Index N = all.inputs.cols();
  if (N < kEnoughToJudge) return all;
  std::vector<Index> taught;
  for (Index t = 0; t < N; ++t)
    if (!has_no_say(t)) taught.push_back(t);
  return {all.draw, all.inputs(Eigen::all, taught), all.outputs(Eigen::all, taught),
          all.root_weights.size() > 0 ? Vector(all.root_weights(taught)) : Vector()};
}

// The stretches that judge, of every so manieth transition.
std::vector<Stretch> judges_of(Index transitions, Index every) {
  const Index kept = (transitions + every - 1) / every;
  if (transitions < kEnoughToJudge) return tenths_of(kept);
  std::vector<Stretch> stretches;
  for (Index k = 0; k < kept; ++k) {
    if (!has_no_say(k * every)) continue;
    if (stretches.empty() || stretches.back().first + stretches.back().count < k)
      stretches.push_back({k, 0});
    ++stretches.back().count;
  }
  return stretches;
}

// Nor are hyperparameters of features looked at closer than on so many transitions.
constexpr Index kEnoughTransitions = 1500;

// So many looks as take some ten seconds, but a few at least.
int looks_at(const EvidenceProblem& problem, int most) {
  constexpr double kOperations = 4e11;
  const double M = static_cast<double>(problem.draw.count()),
               N = static_cast<double>(problem.inputs.cols());
  return static_cast<int>(std::clamp(kOperations / (3 * M * M * (M + N)), 5.0, double(most)));
}

// Whether the nats of some blocks are behind the best by no more than one standard error of the
// difference.
bool as_good(const Vector& nats, const Vector& best) {
  const double B = static_cast<double>(best.size());
  if (B < 3) return false;
  const Vector behind = best - nats;
  const double variance = (behind.array() - behind.mean()).square().sum() / (B - 1);
  return behind.sum() <= std::sqrt(B * variance);
}

// Features that are shaped to explain the data are surer of themselves than is good for them, most
// of all where noise is not normal and the system elsewhere tomorrow. So longer bandwidths and less
// or more prior precision are judged by how well they foretell the stretches which had no say in
// the search, one after the other. Of those that are as good as the best the smoothest is taken:
// it is the tamest where nobody looked. Noise is what is then left over.
Vector check_by_blocks(Vector& theta, const EvidenceProblem& all, const EvidenceSettings& settings,
                       const Bounds& bounds) {
  const Index n = all.draw.inputs(), N = all.inputs.cols();
  const Index every = (N + kEnoughTransitions - 1) / kEnoughTransitions;
  const auto some = Eigen::seq(0, N - 1, every);
  const Matrix inputs = all.inputs(Eigen::all, some), outputs = all.outputs(Eigen::all, some);
  const Vector root_weights =
      all.root_weights.size() > 0 ? Vector(all.root_weights(some)) : Vector();
  const std::vector<Stretch> judges = judges_of(N, every);
  FourierFeatures features = all.draw;
  const Vector found = theta;
  std::vector<Vector> points;
  std::vector<LeftOutBlocks> told;
  for (const double longer : {0.0, 0.5, 1.0, 1.5}) {
    Vector there = found;
    there.head(n) = (there.head(n).array() + longer).matrix().cwiseMin(bounds.upper.head(n));
    features.bandwidth = there.head(n).array().exp();
    std::vector<double> precisions;
    for (const double more : {-2.0, 0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 12.0}) {
      there[n] = std::clamp(found[n] + more, bounds.lower[n], bounds.upper[n]);
      points.push_back(there);
      precisions.push_back(std::exp(there[n]) * static_cast<double>(features.sines()));
    }
    for (LeftOutBlocks& of_point :
         leave_out_blocks(features, inputs, outputs, root_weights, judges, precisions,
                          features.affine() > 0 ? std::exp(theta[n + 1]) : 0, settings.noise_floor,
                          settings.stop))
      told.push_back(std::move(of_point));
  }
  const LeftOutBlocks& best = *std::ranges::max_element(told, {}, &LeftOutBlocks::log_density);
  if (best.noise.size() == 0) return Vector::Zero(all.outputs.rows());
  // Longer bandwidths come later, and more prior precision after less.
  const LeftOutBlocks* taken = &best;
  for (const LeftOutBlocks& other : told)
    if (&other > taken && other.noise.size() > 0 && as_good(other.by_block, best.by_block))
      taken = &other;
  theta = points[static_cast<std::size_t>(taken - told.data())];
  return taken->noise;
}

std::vector<std::string> parameters_at_bound(const Bounds& bounds, const Vector& theta, Index n,
                                             const Vector& noise, double noise_floor) {
  std::vector<std::string> names;
  for (Index j = 0; j < theta.size(); ++j) {
    const bool fixed = bounds.lower[j] == bounds.upper[j];
    if (!fixed && (theta[j] <= bounds.lower[j] || theta[j] >= bounds.upper[j]))
      names.push_back(j < n    ? fmt::format("bandwidth[{}]", j)
                      : j == n ? "prior_precision"
                               : "affine_precision");
  }
  for (Index j = 0; j < noise.size(); ++j)
    // The floor itself comes out of a square root, a rounding error away from what was asked for.
    if (noise[j] <= noise_floor * (1 + 1e-9)) names.push_back(fmt::format("noise[{}]", j));
  return names;
}

}  // namespace

EvidenceFit maximize_evidence(const FourierFeatures& draw, const Transitions& data,
                              const Standardization& standardization,
                              const EvidenceSettings& settings,
                              const std::optional<Hyperparameters>& previous) {
  check(data, draw.inputs(), standardization.scale.size());
  if (data.count() == 0) throw InputError("there are no transitions to learn from");
  const EvidenceProblem all = problem_of(draw, data, standardization);
  const Index n = draw.inputs(), N = data.count(), M = draw.sines();
  const Vector distance = mean_pairwise_distance(data.inputs);
  Bounds bounds = bounds_of(distance, N, draw);
  if (settings.bandwidth == BandwidthRule::mean_distance)
    bounds.lower.head(n) = bounds.upper.head(n) = distance.array().log();

  std::optional<Peak> last;
  if (previous) last = Peak{theta_of(*previous, draw), -kInfinity};
  Search search{bounds, settings, {}};
  const bool many_inputs = n > kManyInputs;
  const EvidenceProblem taught = many_inputs ? taught_of(all) : all;
  const double caution = many_inputs ? seek_by_kernel(search, taught, distance, last)
                                     : seek(search, taught, distance, last);
  if (last) search.candidates.push_back(*last);
  search.evaluations = 0;
  // Hyperparameters are known well from a part of very much data; the last look is at all.
  const EvidenceProblem part = taught.inputs.cols() > kEnoughTransitions
                                   ? subset(taught, M, kEnoughTransitions, settings.seed)
                                   : taught;
  const int looks = previous ? 8 : 20;
  search.round(part, caution, 1, many_inputs ? looks_at(part, looks) : looks, 1e-4);
  if (N > kEnoughTransitions && !many_inputs) search.round(all, caution, 1, 2, 1e-4);

  Vector theta = search.candidates[0].theta, least_noise = Vector::Zero(data.outputs.rows());
  if (many_inputs) least_noise = check_by_blocks(theta, all, settings, bounds);
  CautiousEvidence<> objective(all, settings, caution);
  const double value = objective(theta, nullptr);
  const Vector noise = objective.evidence.best_noise(settings.noise_floor).cwiseMax(least_noise);
  return {.hyperparameters =
              with_model_error(hyperparameters_at(theta, noise, draw), settings.model_error),
          .log_evidence = objective.evidence.value(noise) -
                          counted(all) * standardization.scale.array().log().sum(),
          .caution = caution,
          .objective = value,
          .at_bound = parameters_at_bound(bounds, theta, n, noise, settings.noise_floor),
          .evaluations = search.evaluations};
}

std::vector<Hyperparameters> plausible_hyperparameters(const FourierFeatures& draw,
                                                       const Transitions& data,
                                                       const Standardization& standardization,
                                                       const EvidenceSettings& settings,
                                                       const Hyperparameters& best, int count) {
  // A part of data and features tells how sharp the peak is; more data make it sharper.
  constexpr Index kFeatures = 64, kTransitions = 200;
  const EvidenceProblem all = problem_of(draw, data, standardization);
  const EvidenceProblem part = subset(all, std::min(draw.sines(), kFeatures),
                                      std::min(data.count(), kTransitions), settings.seed);
  const double more = counted(all) / counted(part);
  const Bounds bounds = bounds_of(mean_pairwise_distance(data.inputs), data.count(), draw);
  CautiousEvidence<> evidence(part, settings, 0);
  const Vector centre = theta_of(best, draw).cwiseMax(bounds.lower).cwiseMin(bounds.upper);
  const Index size = centre.size();
  const double top = evidence(centre, nullptr);
  std::vector<Hyperparameters> drawn;
  if (top <= kFailed) return drawn;

  // Curvature by differences of the gradient.
  constexpr double kStep = 0.1;
  Matrix curvature(size, size);
  for (Index i = 0; i < size; ++i) {
    Vector above(size), below(size);
    evidence(centre + kStep * Vector::Unit(size, i), above.data());
    evidence(centre - kStep * Vector::Unit(size, i), below.data());
    curvature.col(i) = (below - above) / (2 * kStep);
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(more * 0.5 *
                                                     (curvature + curvature.transpose()));
  // What the data say nothing of is uncertain by a factor e^2, and no more.
  const Vector spread = solver.eigenvalues().cwiseMax(0.25).cwiseSqrt().cwiseInverse();

  for (int k = 0; k < count; ++k) {
    RandomStream randomness(settings.seed, "plausible hyperparameters",
                            static_cast<std::uint64_t>(k));
    Vector step = solver.eigenvectors() * spread.cwiseProduct(randomness.normals(size));
    // A peak is not a parabola: what the evidence calls implausible is taken back.
    const double least = top - (2 + 0.5 * static_cast<double>(size)) / more;
    Vector theta = centre;
    for (int i = 0; i < 4; ++i, step *= 0.5) {
      theta = (centre + step).cwiseMax(bounds.lower).cwiseMin(bounds.upper);
      if (evidence(theta, nullptr) >= least) break;
      theta = centre;
    }
    // The noise that goes with them, by how much it is more or less than that of the best.
    evidence(centre, nullptr);
    const Vector noise_of_best = evidence.evidence.best_noise(settings.noise_floor);
    evidence(theta, nullptr);
    const Vector noise = evidence.evidence.best_noise(settings.noise_floor)
                             .cwiseQuotient(noise_of_best)
                             .cwiseProduct(best.noise);
    drawn.push_back(with_model_error(hyperparameters_at(theta, noise, draw), settings.model_error));
  }
  return drawn;
}

}  // namespace rhc
