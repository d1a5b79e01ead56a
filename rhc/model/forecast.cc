#include "rhc/model/forecast.h"

#include <algorithm>

#include "rhc/model/circle.h"

namespace rhc {

Matrix jacobian_rows(const BayesianLinearModel& model, Index inputs) {
  const Index D = model.noise.size(), M = model.features.count();
  const Matrix Q = model.features.frequencies();
  Matrix rows(D * inputs, M);
  for (Index k = 0; k < inputs; ++k)
    for (Index j = 0; j < D; ++j)
      rows.row(j + D * k) =
          model.outputs.scale[j] * model.weights.col(j).cwiseProduct(Q.col(k)).transpose();
  return rows;
}

namespace {

// Derivative of putting a point on the circles: what points away from them is lost.
Matrix onto_circles(const std::vector<AnglePair>& angles, const Vector& point) {
  Matrix N = Matrix::Identity(point.size(), point.size());
  for (const AnglePair& angle : angles) {
    const double c = point[angle.cosine], s = point[angle.sine], r = Circle(c, s).length;
    N(angle.cosine, angle.cosine) = s * s / (r * r * r);
    N(angle.sine, angle.sine) = c * c / (r * r * r);
    N(angle.cosine, angle.sine) = N(angle.sine, angle.cosine) = -c * s / (r * r * r);
  }
  return N;
}

}  // namespace

Forecast forecast(const DynamicsModel& model, const Matrix& states, const Matrix& actions) {
  const Index D = states.rows(), T = actions.cols(), seen = model.shape.history * D;
  Forecast result{states, Matrix::Zero(D, T + 1), actions};
  if (T == 0) return result;
  PredictionWorkspace workspace;
  Matrix mean;
  Vector leverage;
  model.regression.predict(model.inputs(states, actions), true, workspace, mean, leverage);
  const Matrix jacobian = jacobian_rows(model.regression, seen) * workspace.cosine;
  const Vector noise = model.regression.noise_variance();

  // Of all that the model sees but the actions, which are known: C <- N (F C F' + predictive
  // variance) N', in which F moves what was seen one step back.
  Matrix C = Matrix::Zero(seen, seen), F = Matrix::Zero(seen, seen);
  F.bottomLeftCorner(seen - D, seen - D).setIdentity();
  for (Index t = 0; t < T; ++t) {
    F.topRows(D) = Eigen::Map<const Matrix>(jacobian.col(t).data(), D, seen);
    F.topLeftCorner(D, D).diagonal().array() += 1;
    C = F * C * F.transpose();
    C.diagonal().head(D) += noise * (1 + leverage[t]);
    const Matrix N = onto_circles(model.shape.angles, states.col(t) + mean.col(t));
    C.topRows(D) = N * C.topRows(D).eval();
    C.leftCols(D) = C.leftCols(D).eval() * N.transpose();
    result.deviation.col(t + 1) = C.diagonal().head(D).cwiseMax(0).cwiseSqrt();
  }
  return result;
}

Forecast forecast_from(const DynamicsModel& model, const Vector& first, const Matrix& actions) {
  const Index T = actions.cols(), history = model.shape.history;
  Matrix states = first.replicate(1, T + 1);
  for (Index t = 0; t < T; ++t) {
    // As much of the past as the next step is predicted from.
    const Index from = std::max<Index>(0, t - history), count = t + 1 - from;
    const Matrix inputs =
        model.inputs(states.middleCols(from, count), actions.middleCols(from, count));
    states.col(t + 1) = states.col(t) + model.regression.predict(inputs.rightCols(1)).mean;
    project_on_circles(model.shape.angles, states.col(t + 1));
  }
  return forecast(model, states, actions);
}

}  // namespace rhc
