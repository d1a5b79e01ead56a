#include "rhc/model/fit_trajectories.h"

#include <Eigen/Cholesky>
#include <utility>

namespace rhc {

namespace {

constexpr int kMostIterations = 8;
constexpr int kHessians = 2;              // that are computed; later steps change them little
constexpr double kEnough = 1e-3;          // of the cost, below which a step is the last one
constexpr double kMostOperations = 2e10;  // for a Hessian
constexpr Index kMostWeights = 2000;

class TrajectoryFit {
 public:
  TrajectoryFit(Regression& regression, const NoiseSplit& noise,
                const std::vector<AnglePair>& angles, const std::vector<Transitions>& episodes,
                const StopSignal& stop)
      : regression_(regression),
        stop_(stop),
        filter_(regression, noise, angles),
        pieces_(pieces_of(episodes, regression.outputs())),
        weights_(regression.parameters()),
        outputs_(weights_by_output(regression)) {}

  void run() {
    for (int step = 0; step < kMostIterations; ++step)
      if (!improve(step < kHessians)) return;
  }

  FittedTrajectories result(int draws) && { return {std::move(pieces_), draw(draws)}; }

 private:
  std::vector<std::vector<Matrix>> draw(int count) const {
    std::vector<std::vector<Matrix>> draws;
    if (hessian_.rows() == 0) return draws;
    for (int i = 0; i < count; ++i) {
      RandomStream randomness(0, "weights of trajectories", static_cast<std::uint64_t>(i / 2));
      Vector off = randomness.normals(weights_);
      hessian_.matrixU().solveInPlace(off);
      draws.push_back(moved_by(i % 2 == 0 ? off : Vector(-off)));
    }
    return draws;
  }

  std::vector<Matrix> moved_by(const Vector& change) const {
    std::vector<Matrix> weights;
    for (const OutputGroup& group : regression_.groups) weights.push_back(group.posterior.weights);
    for (const auto& [group, column, first, count] : outputs_)
      weights[group].col(column) += change.segment(first, count);
    return weights;
  }

  auto weights_of(const OutputWeights& output) const {
    return regression_.groups[output.group].posterior.weights.col(output.column);
  }

  // Minus twice the log of what is to be most likely, but for a constant.
  double cost() const {
    double sum = 0;
    Along along;
    for (const Piece& piece : pieces_) sum += filter_.cost(piece, along);
    for (const OutputWeights& output : outputs_)
      sum += prior_precision_of(regression_, output).dot(weights_of(output).cwiseAbs2());
    return sum;
  }

  // What a change of the weights adds to the changes along a piece, D x T.
  Matrix added_by(const Vector& change, const Along& along) const {
    Matrix added(along.mean.rows(), along.mean.cols());
    for (Index j = 0; j < added.rows(); ++j) {
      const auto& [group, column, first, count] = outputs_[static_cast<std::size_t>(j)];
      added.row(j) = regression_.groups[group].posterior.outputs.scale[column] *
                     change.segment(first, count).transpose() * along.workspace.groups[group].phi;
    }
    return added;
  }

  // A step of weights and states; false where no other is worth it.
  bool improve(bool new_hessian) {
    Vector slope(weights_);
    Matrix N = Matrix::Zero(new_hessian ? weights_ : 0, new_hessian ? weights_ : 0);
    for (const OutputWeights& output : outputs_) {
      const Vector prior = prior_precision_of(regression_, output);
      slope.segment(output.first, output.count) = -prior.cwiseProduct(weights_of(output));
      if (new_hessian) N.diagonal().segment(output.first, output.count) = prior;
    }
    std::vector<Along> along(pieces_.size());
    Innovations told;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      stop_.check();
      filter_.expand(pieces_[i], true, along[i]);
      filter_.filter(pieces_[i], along[i], Matrix::Zero(regression_.outputs(), pieces_[i].steps()),
                     &told);
      const Vector by_change = told.slope.transpose() * told.rest;
      for (Index j = 0; j < regression_.outputs(); ++j) {
        const auto& [group, column, first, count] = outputs_[static_cast<std::size_t>(j)];
        const Vector of_output = regression_.groups[group].posterior.outputs.scale[column] *
                                 by_change(Eigen::seqN(j, pieces_[i].steps(), outputs_.size()));
        slope.segment(first, count).noalias() += along[i].workspace.groups[group].phi * of_output;
      }
      if (!new_hessian) continue;
      const Matrix rows = by_weights(regression_, outputs_, along[i].workspace, told.slope);
      N.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
    }
    if (!slope.allFinite()) return false;
    if (new_hessian) {
      Eigen::LLT<Matrix> factorized(N.selfadjointView<Eigen::Lower>());
      if (factorized.info() != Eigen::Success) return false;
      hessian_ = std::move(factorized);
    }
    const Vector change = hessian_.solve(slope);

    std::vector<Matrix> changes;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Matrix added = added_by(change, along[i]);
      changes.push_back(TrajectoryFilter::smoothed(
          filter_.filter(pieces_[i], along[i], added, nullptr), along[i]));
    }
    return take(change, changes);
  }

  // As much of a step as lowers the cost.
  bool take(const Vector& change, const std::vector<Matrix>& changes) {
    const double before = cost();
    const std::vector<Piece> pieces = pieces_;
    const std::vector<Matrix> weights = moved_by(Vector::Zero(weights_));
    const auto set = [&](const std::vector<Matrix>& to) {
      for (std::size_t g = 0; g < to.size(); ++g) regression_.groups[g].posterior.weights = to[g];
    };
    for (double length = 1; length > 0.05; length *= 0.5) {
      set(weights);
      set(moved_by(length * change));
      for (std::size_t i = 0; i < pieces_.size(); ++i)
        pieces_[i].states = pieces[i].states + length * changes[i];
      const double after = cost();
      if (after < before) return before - after > kEnough * before;
    }
    set(weights);
    pieces_ = pieces;
    return false;
  }

  Regression& regression_;
  const StopSignal& stop_;
  const TrajectoryFilter filter_;
  std::vector<Piece> pieces_;
  const Index weights_;  // of all outputs
  const std::vector<OutputWeights> outputs_;
  Eigen::LLT<Matrix> hessian_;
};

}  // namespace

bool trajectories_tell_more(const Regression& regression, const NoiseSplit& noise,
                            Index transitions) {
  constexpr double kOfTheSpread = 0.01, kOfTheNoise = 0.1;
  const auto measurements = static_cast<double>(transitions * regression.outputs());
  const auto weights = static_cast<double>(regression.parameters());
  if (measurements < weights || regression.parameters() > kMostWeights ||
      measurements * weights * weights > kMostOperations)
    return false;
  for (const auto& [outputs, posterior] : regression.groups)
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const double variance = posterior.noise_variance()[static_cast<Index>(k)];
      const double sensor = noise.sensor[outputs[k]];
      if (posterior.noise[static_cast<Index>(k)] > kOfTheSpread &&
          sensor * sensor > kOfTheNoise * variance)
        return true;
    }
  return false;
}

FittedTrajectories fit_trajectories(Regression& regression, const NoiseSplit& noise,
                                    const std::vector<AnglePair>& angles,
                                    const std::vector<Transitions>& episodes, int draws,
                                    const StopSignal& stop) {
  TrajectoryFit fit(regression, noise, angles, episodes, stop);
  fit.run();
  return std::move(fit).result(draws);
}

}  // namespace rhc
