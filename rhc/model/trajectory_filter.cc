#include "rhc/model/trajectory_filter.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <utility>

namespace rhc {

namespace {

// Derivatives take the square of a piece's steps.
constexpr Index kLongestPiece = 128;

}  // namespace

std::vector<Piece> pieces_of(const std::vector<Transitions>& episodes, Index outputs) {
  std::vector<Piece> pieces;
  for (const Transitions& episode : episodes) {
    const Matrix &inputs = episode.inputs, &changes = episode.outputs;
    for (Index first = 0, t = 0; t < inputs.cols(); ++t) {
      const Vector next = inputs.col(t).head(outputs) + changes.col(t);
      const double rounding = 1e-9 * (1 + next.cwiseAbs().maxCoeff());
      if (t + 1 < inputs.cols() && t + 1 - first < kLongestPiece &&
          (next - inputs.col(t + 1).head(outputs)).cwiseAbs().maxCoeff() <= rounding)
        continue;
      const Index T = t + 1 - first;
      Piece piece{Matrix(outputs, T + 1),
                  inputs.middleCols(first, T).bottomRows(inputs.rows() - outputs),
                  {}};
      piece.measured << inputs.middleCols(first, T).topRows(outputs), next;
      piece.states = piece.measured;
      pieces.push_back(std::move(piece));
      first = t + 1;
    }
  }
  return pieces;
}

Matrix Along::F(Index t) const {
  const Index D = mean.rows();
  Matrix result = Eigen::Map<const Matrix>(jacobian.col(t).data(), D, D);
  result.diagonal().array() += 1;
  return result;
}

std::vector<OutputWeights> weights_by_output(const Regression& regression) {
  std::vector<OutputWeights> result(static_cast<std::size_t>(regression.outputs()));
  Index first = 0;
  for (std::size_t g = 0; g < regression.groups.size(); ++g) {
    const auto& [outputs, posterior] = regression.groups[g];
    for (std::size_t k = 0; k < outputs.size(); ++k, first += posterior.features.count())
      result[static_cast<std::size_t>(outputs[k])] = {g, static_cast<Index>(k), first,
                                                      posterior.features.count()};
  }
  return result;
}

TrajectoryFilter::TrajectoryFilter(const Regression& of, const NoiseSplit& noise,
                                   std::vector<AnglePair> on_circles)
    : regression(of), angles(std::move(on_circles)) {
  const Vector least = 1e-4 * regression.noise_variance();
  R = noise.sensor.cwiseAbs2().cwiseMax(least);
  Q = noise.process.cwiseAbs2().cwiseMax(least);
}

double TrajectoryFilter::circle_variance(const AnglePair& angle) const {
  return 0.01 * (R[angle.cosine] + R[angle.sine]);
}

void TrajectoryFilter::expand(const Piece& piece, bool with_slopes, Along& along) const {
  const Index T = piece.steps();
  along.inputs.resize(regression.inputs(), T);
  along.inputs << piece.states.leftCols(T), piece.actions;
  regression.predict(along.inputs, with_slopes, along.workspace, along.mean, along.leverage);
  if (with_slopes)
    MeanJacobian(regression, regression.outputs())
        .evaluate(along.inputs, along.workspace, along.jacobian);
}

double TrajectoryFilter::cost(const Piece& piece, Along& along) const {
  const Index T = piece.steps();
  expand(piece, false, along);
  const Matrix gap = piece.states.leftCols(T) + along.mean - piece.states.rightCols(T);
  const Matrix off = piece.measured - piece.states;
  double sum = (Q.cwiseInverse().asDiagonal() * gap.cwiseAbs2()).sum() +
               (R.cwiseInverse().asDiagonal() * off.cwiseAbs2()).sum();
  for (const AnglePair& angle : angles)
    for (Index t = 1; t <= T; ++t)
      sum +=
          std::pow(1 - std::hypot(piece.states(angle.cosine, t), piece.states(angle.sine, t)), 2) /
          circle_variance(angle);
  return sum;
}

Filtered TrajectoryFilter::filter(const Piece& piece, const Along& along, const Matrix& added,
                                  Innovations* told) const {
  const Index D = regression.outputs(), T = piece.steps();
  const Index rows = T * (D + static_cast<Index>(angles.size()));
  const auto size = static_cast<std::size_t>(T) + 1;
  Filtered at{std::vector<Filtered::At>(size), std::vector<Filtered::At>(size)};
  at.after[0] = {piece.measured.col(0) - piece.states.col(0), R.asDiagonal()};
  Matrix G;  // d mean by the changes until now
  if (told) {
    G.setZero(D, T * D);
    *told = {Matrix::Zero(rows, T * D), Vector(rows), 0};
  }
  for (Index t = 0, row = 0; t < T; ++t) {
    const auto i = static_cast<std::size_t>(t);
    const Index until = (t + 1) * D;
    const Matrix F = along.F(t);
    Vector m = F * at.after[i].mean + piece.states.col(t) + along.mean.col(t) + added.col(t) -
               piece.states.col(t + 1);
    Matrix P = F * at.after[i].covariance * F.transpose();
    P.diagonal() += Q;
    at.before[i + 1] = {m, P};
    if (told) {
      G.leftCols(t * D) = (F * G.leftCols(t * D)).eval();
      G.middleCols(t * D, D).setIdentity();
    }
    // The measurement.
    Matrix S = P;
    S.diagonal() += R;
    const Eigen::LLT<Matrix> of_S(S);
    const Vector off = piece.measured.col(t + 1) - piece.states.col(t + 1) - m;
    const Matrix K = of_S.solve(P).transpose();
    if (told) {
      told->log_det += 2 * of_S.matrixLLT().diagonal().array().log().sum();
      told->rest.segment(row, D) = of_S.matrixL().solve(off);
      told->slope.block(row, 0, D, until) = of_S.matrixL().solve(G.leftCols(until));
      G.leftCols(until) -= (K * G.leftCols(until)).eval();
      row += D;
    }
    m += K * off;
    P -= (K * P).eval();
    // The circles.
    for (const AnglePair& angle : angles) {
      const double c = piece.states(angle.cosine, t + 1), s = piece.states(angle.sine, t + 1);
      const double length = std::hypot(c, s);
      Vector h = Vector::Zero(D);
      h[angle.cosine] = c / length;
      h[angle.sine] = s / length;
      const Vector Ph = P * h;
      const double variance = h.dot(Ph) + circle_variance(angle);
      const double missing = 1 - length - h.dot(m);
      if (told) {
        const Eigen::RowVectorXd slope = h.transpose() * G.leftCols(until);
        told->log_det += std::log(variance);
        told->rest[row] = missing / std::sqrt(variance);
        told->slope.row(row).head(until) = slope / std::sqrt(variance);
        G.leftCols(until) -= Ph / variance * slope;
        ++row;
      }
      m += Ph / variance * missing;
      P -= Ph * Ph.transpose() / variance;
    }
    at.after[i + 1] = {m, 0.5 * (P + P.transpose())};
  }
  return at;
}

Matrix TrajectoryFilter::smoothed(const Filtered& at, const Along& along) {
  const Index T = along.mean.cols();
  Matrix change(along.mean.rows(), T + 1);
  change.col(T) = at.after.back().mean;
  for (Index t = T - 1; t >= 0; --t) {
    const auto& [mean, covariance] = at.after[static_cast<std::size_t>(t)];
    const auto& ahead = at.before[static_cast<std::size_t>(t) + 1];
    const Matrix C = ahead.covariance.llt().solve(along.F(t) * covariance).transpose();
    change.col(t) = mean + C * (change.col(t + 1) - ahead.mean);
  }
  return change;
}

Vector prior_precision_of(const Regression& regression, const OutputWeights& weights) {
  const BayesianLinearModel& posterior = regression.groups[weights.group].posterior;
  Vector precision = Vector::Constant(weights.count, posterior.prior_precision);
  precision.tail(posterior.features.affine()).setConstant(posterior.affine_precision);
  return precision / std::pow(posterior.noise[weights.column], 2);
}

Matrix by_weights(const Regression& regression, const std::vector<OutputWeights>& outputs,
                  const RegressionWorkspace& features, const Matrix& slope) {
  const auto D = static_cast<Index>(outputs.size());
  const Index T = slope.cols() / D;
  Matrix result(slope.rows(), regression.parameters());
  for (Index j = 0; j < D; ++j) {
    const auto& [group, column, first, count] = outputs[static_cast<std::size_t>(j)];
    const Matrix of_output = regression.groups[group].posterior.outputs.scale[column] *
                             slope(Eigen::all, Eigen::seqN(j, T, D));
    result.middleCols(first, count).noalias() = of_output * features.groups[group].phi.transpose();
  }
  return result;
}

}  // namespace rhc
