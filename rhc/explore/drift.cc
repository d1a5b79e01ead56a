#include "rhc/explore/drift.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rhc/model/cholesky.h"

namespace rhc {

namespace {

// Episodes are put together where there are more of them, and thinned out where they are long.
constexpr std::size_t kFewestBlocks = 6, kMostBlocks = 12;
constexpr Index kMostBlockRows = 120, kFewestBlockRows = 10;
constexpr Index kMostDriftSines = 96;
// Of the noise variance: what both models may be unsure of at a step that counts; and by which
// factor one may be less sure than the other, or a region that is near in time is taken for a
// change.
constexpr double kWellKnown = 0.5, kAlikeSure = 2;
// Of the spread of an output's changes: errors below that do not matter.
constexpr double kSmallDrift = 0.03;

// By how much the squares of errors must grow with the distance in time, as a share of their mean,
// and by how many standard errors: of systems that do not change it is less (bench/drift.cc).
constexpr double kGrown = 0.6, kCertain = 4;

std::vector<Transitions> blocks_of(const std::vector<Transitions>& episodes,
                                   const KnownMotion& known) {
  std::vector<const Transitions*> told;
  for (const Transitions& episode : episodes)
    if (episode.count() > 0) told.push_back(&episode);
  const std::size_t count = std::min(told.size(), kMostBlocks);
  std::vector<Transitions> blocks;
  for (std::size_t b = 0; b < count; ++b) {
    std::vector<Transitions> together;
    for (std::size_t e = b * told.size() / count; e < (b + 1) * told.size() / count; ++e)
      together.push_back(*told[e]);
    Transitions block = concatenate(together);
    if (block.count() > kMostBlockRows) {
      std::vector<Index> taken;
      for (Index i = 0; i < kMostBlockRows; ++i)
        taken.push_back(i * block.count() / kMostBlockRows);
      block = {block.inputs(Eigen::all, taken), block.outputs(Eigen::all, taken)};
    }
    blocks.push_back(known ? left_to_learn(known, block) : std::move(block));
  }
  return blocks;
}

// The prior of a posterior, in fewer features.
BayesianLinearModel small_prior(const BayesianLinearModel& posterior) {
  FourierFeatures features = posterior.features;
  const Index sines = std::min(kMostDriftSines, features.sines());
  features.P = Matrix(features.P.topRows(sines));
  features.phase = Vector(features.phase.head(sines));
  Hyperparameters hyperparameters = posterior.hyperparameters();
  hyperparameters.prior_precision *=
      static_cast<double>(sines) / static_cast<double>(posterior.features.sines());
  return {std::move(features), hyperparameters, posterior.outputs};
}

// A block in the features and units of a group of outputs.
struct BlockInFeatures {
  Matrix phi, outputs, gram, moment;
};

// Of the other blocks, the nearer half in time and the farther half.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> near_and_far(std::size_t of,
                                                                           std::size_t count) {
  std::vector<std::size_t> others(count);
  std::iota(others.begin(), others.end(), std::size_t{0});
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(of));
  const auto away = [&](std::size_t b) { return b > of ? b - of : of - b; };
  std::stable_sort(others.begin(), others.end(),
                   [&](std::size_t a, std::size_t b) { return away(a) < away(b); });
  const auto half = static_cast<std::ptrdiff_t>(others.size() / 2);
  return {{others.begin(), others.begin() + half}, {others.end() - half, others.end()}};
}

struct Tested {
  Matrix squares;   // of the errors
  Vector leverage;  // at each step
};

std::optional<Tested> tested(const BayesianLinearModel& prior,
                             const std::vector<BlockInFeatures>& blocks,
                             const std::vector<std::size_t>& taught, const BlockInFeatures& on) {
  Matrix A = prior.factor * prior.factor.transpose();
  Matrix weights = prior.moment;
  for (const std::size_t b : taught) {
    A += blocks[b].gram;
    weights += blocks[b].moment;
  }
  const Eigen::LLT<Matrix> llt(A);
  if (llt.info() != Eigen::Success) return std::nullopt;
  llt.solveInPlace(weights);
  Matrix solved = on.phi;
  llt.matrixL().solveInPlace(solved);
  return Tested{(on.outputs - weights.transpose() * on.phi).cwiseAbs2(),
                solved.colwise().squaredNorm()};
}

std::vector<DriftScore> scores_of_group(const BayesianLinearModel& posterior,
                                        const std::vector<Index>& outputs,
                                        const std::vector<Transitions>& blocks) {
  const BayesianLinearModel prior = small_prior(posterior);
  const Index D = prior.noise.size();
  std::vector<BlockInFeatures> seen;
  for (const Transitions& block : blocks) {
    BlockInFeatures s;
    prior.features.evaluate(block.inputs, s.phi);
    s.outputs = prior.outputs.apply(block.outputs(outputs, Eigen::all));
    s.gram = s.phi * s.phi.transpose();
    s.moment = s.phi * s.outputs.transpose();
    seen.push_back(std::move(s));
  }
  // By output, what each block says; and sums over all of them.
  std::vector<std::vector<double>> grown(static_cast<std::size_t>(D));
  Vector near_squares = Vector::Zero(D), far_squares = Vector::Zero(D);
  Index steps = 0;
  for (std::size_t b = 0; b < seen.size(); ++b) {
    const auto [near, far] = near_and_far(b, seen.size());
    const auto by_near = tested(prior, seen, near, seen[b]);
    const auto by_far = tested(prior, seen, far, seen[b]);
    if (!by_near || !by_far) return {};
    Vector n = Vector::Zero(D), f = Vector::Zero(D);
    Index known = 0;
    for (Index t = 0; t < seen[b].phi.cols(); ++t) {
      const double more = std::max(by_near->leverage[t], by_far->leverage[t]);
      const double less = std::min(by_near->leverage[t], by_far->leverage[t]);
      if (more > kWellKnown || more > kAlikeSure * less) continue;
      n += by_near->squares.col(t);
      f += by_far->squares.col(t);
      ++known;
    }
    if (known < kFewestBlockRows) continue;
    steps += known;
    near_squares += n;
    far_squares += f;
    for (Index j = 0; j < D; ++j)
      grown[static_cast<std::size_t>(j)].push_back(
          (f[j] - n[j]) /
          (0.5 * (f[j] + n[j]) + static_cast<double>(known) * kSmallDrift * kSmallDrift));
  }
  std::vector<DriftScore> scores;
  for (Index j = 0; j < D; ++j) {
    const auto& g = grown[static_cast<std::size_t>(j)];
    if (g.size() < kFewestBlocks) return {};
    const Eigen::Map<const Eigen::ArrayXd> values(g.data(), static_cast<Index>(g.size()));
    const double mean = values.mean(), count = static_cast<double>(g.size());
    const double error = std::sqrt((values - mean).square().sum() / (count * (count - 1))) + 1e-12;
    const auto deviation = [&](const Vector& squares) {
      return prior.outputs.scale[j] * std::sqrt(squares[j] / static_cast<double>(steps));
    };
    scores.push_back({mean, mean / error, deviation(near_squares), deviation(far_squares)});
  }
  return scores;
}

}  // namespace

std::vector<DriftScore> drift_scores(const std::vector<Transitions>& episodes,
                                     const Regression& fitted) {
  const std::vector<Transitions> blocks = blocks_of(episodes, fitted.known);
  std::vector<DriftScore> scores(static_cast<std::size_t>(fitted.outputs()));
  if (blocks.size() < kFewestBlocks) return {};
  for (const auto& [outputs, posterior] : fitted.groups) {
    const std::vector<DriftScore> part = scores_of_group(posterior, outputs, blocks);
    if (part.empty()) return {};
    for (std::size_t k = 0; k < outputs.size(); ++k)
      scores[static_cast<std::size_t>(outputs[k])] = part[k];
  }
  return scores;
}

std::optional<Drift> drift_in(const std::vector<Transitions>& episodes, const Regression& fitted) {
  std::optional<Drift> drift;
  double most = 0;
  const std::vector<DriftScore> scores = drift_scores(episodes, fitted);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const auto& [grown, certain, near, far] = scores[j];
    const bool changed = grown >= kGrown && certain >= kCertain;
    if (!changed || grown <= most) continue;
    most = grown;
    drift = {static_cast<Index>(j), near, far};
  }
  return drift;
}

}  // namespace rhc
