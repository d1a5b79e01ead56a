#include "rhc/model/trajectory_evidence.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/model/climb.h"
#include "rhc/model/fit_trajectories.h"

namespace rhc {

namespace {

constexpr double kNotDefinite = -1e300;
constexpr Index kMostLookedAt = 400;

Index hyperparameters_of(const FourierFeatures& features) {
  return features.inputs() + 1 + (features.affine() > 0 ? 1 : 0);
}

Vector theta_of_groups(const std::vector<Hyperparameters>& groups) {
  std::vector<double> theta;
  for (const auto& [bandwidth, prior, noise, affine, predicted] : groups) {
    for (const double nu : bandwidth) theta.push_back(std::log(nu));
    theta.push_back(std::log(prior));
    if (affine > 0) theta.push_back(std::log(affine));
  }
  return Eigen::Map<Vector>(theta.data(), static_cast<Index>(theta.size()));
}

// So many looks at the evidence as take about ten seconds, but some at least.
int looks_for(const Regression& regression, const std::vector<Transitions>& episodes) {
  constexpr double kOperations = 2.5e11, kLeast = 5, kMost = 25;
  double measurements = 0;
  for (const Transitions& episode : episodes)
    measurements += static_cast<double>(episode.outputs.size());
  const double one = 5 * measurements * std::pow(static_cast<double>(regression.parameters()), 2);
  return static_cast<int>(std::clamp(kOperations / one, kLeast, kMost));
}

// Whole episodes, evenly taken.
std::vector<Transitions> some_of(const std::vector<Transitions>& episodes) {
  Index all = 0;
  for (const Transitions& episode : episodes) all += episode.count();
  const Index every = (all + kMostLookedAt - 1) / kMostLookedAt;
  if (every <= 1) return episodes;
  std::vector<Transitions> some;
  // The last is always among them: it was planned to tell what the others did not.
  const auto last = static_cast<Index>(episodes.size()) - 1;
  for (Index i = last % every; i <= last; i += every)
    some.push_back(episodes[static_cast<std::size_t>(i)]);
  return some;
}

}  // namespace

TrajectoryEvidence::TrajectoryEvidence(const Regression& regression, const TrajectoryFilter& filter,
                                       const std::vector<Piece>& pieces)
    : regression_(regression), outputs_(weights_by_output(regression)) {
  const Index D = regression.outputs();
  Along along;
  Innovations told;
  for (const Piece& piece : pieces) {
    filter.expand(piece, true, along);
    filter.filter(piece, along, Matrix::Zero(D, piece.steps()), &told);
    log_det_ += told.log_det;
    Vector learned(piece.steps() * D);
    for (Index j = 0; j < D; ++j) {
      const auto& [group, column, first, count] = outputs_[static_cast<std::size_t>(j)];
      const BayesianLinearModel& posterior = regression.groups[group].posterior;
      learned(Eigen::seqN(j, piece.steps(), D)) = posterior.outputs.scale[column] *
                                                  along.workspace.groups[group].phi.transpose() *
                                                  posterior.weights.col(column);
    }
    looks_.push_back({told.slope, told.rest + told.slope * learned, along.inputs});
  }
}

Vector TrajectoryEvidence::theta() const {
  std::vector<Hyperparameters> groups;
  for (const OutputGroup& group : regression_.groups)
    groups.push_back(group.posterior.hyperparameters());
  return theta_of_groups(groups);
}

void TrajectoryEvidence::set(const Vector& theta) {
  const std::vector<Hyperparameters> groups = hyperparameters(theta);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    BayesianLinearModel& posterior = regression_.groups[g].posterior;
    posterior.features.bandwidth = groups[g].bandwidth;
    posterior.prior_precision = groups[g].prior_precision;
    posterior.affine_precision = groups[g].affine_precision;
  }
}

std::vector<Hyperparameters> TrajectoryEvidence::hyperparameters(const Vector& theta) const {
  std::vector<Hyperparameters> result;
  Index at = 0;
  for (const auto& [outputs, posterior] : regression_.groups) {
    const Index n = posterior.features.inputs();
    const bool affine = posterior.features.affine() > 0;
    result.push_back({theta.segment(at, n).array().exp(), std::exp(theta[at + n]), posterior.noise,
                      affine ? std::exp(theta[at + n + 1]) : posterior.affine_precision,
                      posterior.predicted_noise});
    at += hyperparameters_of(posterior.features);
  }
  return result;
}

double TrajectoryEvidence::value(const Vector& theta, double* gradient) {
  set(theta);
  const Index W = regression_.parameters();
  // The innovations are target - rows w + standard normal noise, the weights have their prior.
  Vector prior(W), w = Vector::Zero(W);
  for (const OutputWeights& output : outputs_)
    prior.segment(output.first, output.count) = prior_precision_of(regression_, output);
  Matrix N = prior.asDiagonal();
  std::vector<Matrix> rows;
  std::vector<RegressionWorkspace> features(looks_.size());
  for (std::size_t i = 0; i < looks_.size(); ++i) {
    features[i].groups.resize(regression_.groups.size());
    for (std::size_t g = 0; g < regression_.groups.size(); ++g)
      regression_.groups[g].posterior.features.evaluate(looks_[i].inputs, features[i].groups[g].phi,
                                                        features[i].groups[g].cosine);
    rows.push_back(by_weights(regression_, outputs_, features[i], looks_[i].slope));
    N.selfadjointView<Eigen::Lower>().rankUpdate(rows[i].transpose());
    w.noalias() += rows[i].transpose() * looks_[i].target;
  }
  const Eigen::LLT<Matrix> factor(N.selfadjointView<Eigen::Lower>());
  if (gradient) std::fill(gradient, gradient + theta.size(), 0.0);
  if (factor.info() != Eigen::Success) return kNotDefinite;
  factor.solveInPlace(w);
  double twice = prior.array().log().sum() - prior.dot(w.cwiseAbs2()) - log_det_ -
                 2 * factor.matrixLLT().diagonal().array().log().sum();
  std::vector<Vector> rest;
  for (std::size_t i = 0; i < looks_.size(); ++i) {
    rest.emplace_back(looks_[i].target - rows[i] * w);
    twice -= rest[i].squaredNorm();
  }
  if (!std::isfinite(twice)) return kNotDefinite;
  if (!gradient) return 0.5 * twice;

  Eigen::Map<Vector> slope(gradient, theta.size());
  const Matrix inverse = factor.solve(Matrix::Identity(W, W));
  // d / d log p of a prior precision p: 1/2 (1 - p (N^-1 + w^2)), summed over its weights.
  const Vector by_prior =
      0.5 * (1 - prior.array() * (inverse.diagonal().array() + w.array().square()));
  std::vector<Index> begin;
  for (Index at = 0; const OutputGroup& group : regression_.groups) {
    begin.push_back(at);
    at += hyperparameters_of(group.posterior.features);
  }
  for (const auto& [group, column, first, count] : outputs_) {
    const FourierFeatures& f = regression_.groups[group].posterior.features;
    slope[begin[group] + f.inputs()] += by_prior.segment(first, f.sines()).sum();
    if (f.affine() > 0)
      slope[begin[group] + f.inputs() + 1] += by_prior.segment(first + f.sines(), f.affine()).sum();
  }
  // d / d rows = rest w' - rows N^-1; rows depend on nu through features, and
  // d phi / d log nu_k = -cos * P_k z_k / nu_k.
  const auto D = static_cast<Index>(outputs_.size());
  for (std::size_t i = 0; i < looks_.size(); ++i) {
    const auto& [by_change, target, inputs] = looks_[i];
    Matrix by_rows = rest[i] * w.transpose();
    by_rows.noalias() -= rows[i] * inverse;
    for (Index j = 0; j < D; ++j) {
      const auto& [group, column, first, count] = outputs_[static_cast<std::size_t>(j)];
      const BayesianLinearModel& posterior = regression_.groups[group].posterior;
      const FourierFeatures& f = posterior.features;
      const Matrix of_output =
          posterior.outputs.scale[column] * by_change(Eigen::all, Eigen::seqN(j, inputs.cols(), D));
      Matrix by_phi = by_rows.middleCols(first, f.sines()).transpose() * of_output;
      by_phi.array() *= features[i].groups[group].cosine.topRows(f.sines()).array();
      const Matrix by_frequency = by_phi * inputs.transpose();
      slope.segment(begin[group], f.inputs()) -=
          by_frequency.cwiseProduct(f.P).colwise().sum().transpose().cwiseQuotient(f.bandwidth);
    }
  }
  return 0.5 * twice;
}

TrajectoryHyperparameters maximize_trajectory_evidence(const Regression& regression,
                                                       const NoiseSplit& noise,
                                                       const std::vector<AnglePair>& angles,
                                                       const std::vector<Transitions>& episodes,
                                                       const std::vector<Hyperparameters>& previous,
                                                       const StopSignal& stop) {
  constexpr double kStep = 0.125, kNats = 1;  // of the motion's variance, for so much evidence
  constexpr int kMostNoiseSteps = 3;
  constexpr double kFar = 4, kEnoughNats = 0.5;  // of a logarithm; nats
  const std::vector<Transitions> some = some_of(episodes);
  Regression found = regression;
  // States that are held to the model are no place to ask how much noise moves the system.
  const NoiseSplit loose{noise.sensor, noise.process.cwiseMax(noise.sensor)};
  std::vector<Piece> pieces = fit_trajectories(found, loose, angles, some, 0, stop).pieces;
  const auto evidence_with = [&](const NoiseSplit& split) {
    return TrajectoryEvidence(found, TrajectoryFilter(found, split, angles), pieces);
  };

  // A regression on noisy states cannot tell little noise of the motion from none.
  TrajectoryHyperparameters result{{}, noise};
  TrajectoryEvidence evidence = evidence_with(noise);
  double best = evidence.value(evidence.theta(), nullptr);
  for (const double step : {kStep, 1 / kStep}) {
    for (int i = 0; i < kMostNoiseSteps; ++i) {
      const NoiseSplit other{noise.sensor, std::sqrt(step) * result.noise.process};
      stop.check();
      TrajectoryEvidence then = evidence_with(other);
      const double value = then.value(then.theta(), nullptr);
      if (value < best + kNats) break;
      best = value;
      result.noise = other;
    }
    if (result.noise.process != noise.process) break;
  }
  pieces = fit_trajectories(found, result.noise, angles, some, 0, stop).pieces;

  evidence = evidence_with(result.noise);
  Vector start = evidence.theta();
  if (previous.size() == regression.groups.size()) {
    const Vector last = theta_of_groups(previous);
    if (last.size() == start.size() && last.allFinite() &&
        evidence.value(last, nullptr) > evidence.value(start, nullptr))
      start = last;
  }
  const Peak peak = climb(
      [&](const Vector& theta, double* gradient) {
        stop.check();
        return evidence.value(theta, gradient);
      },
      {start.array() - kFar, start.array() + kFar}, start, kEnoughNats,
      looks_for(regression, some));
  result.by_group = evidence.hyperparameters(peak.theta);
  return result;
}

}  // namespace rhc
