#include "rhc/evaluate/forecast.h"

#include <algorithm>
#include <cmath>

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

void put_on_circles(const std::vector<AnglePair>& angles, Eigen::Ref<Vector> point) {
  for (const AnglePair& angle : angles) {
    const double radius = std::hypot(point[angle.cosine], point[angle.sine]);
    point[angle.cosine] /= radius;
    point[angle.sine] /= radius;
  }
}

// Derivative of putting a point on the circles: what points away from them is lost.
Matrix onto_circles(const std::vector<AnglePair>& angles, const Vector& point) {
  Matrix N = Matrix::Identity(point.size(), point.size());
  for (const AnglePair& angle : angles) {
    const double c = point[angle.cosine], s = point[angle.sine], r = std::hypot(c, s);
    N(angle.cosine, angle.cosine) = s * s / (r * r * r);
    N(angle.sine, angle.sine) = c * c / (r * r * r);
    N(angle.cosine, angle.sine) = N(angle.sine, angle.cosine) = -c * s / (r * r * r);
  }
  return N;
}

}  // namespace

Forecast forecast(const BayesianLinearModel& model, const std::vector<AnglePair>& angles,
                  const Matrix& states, const Matrix& actions, const Vector& action_before) {
  const Index D = states.rows(), T = actions.cols();
  Forecast result{states, Matrix::Zero(D, T + 1), actions};
  if (T == 0) return result;
  const Index history = model.features.inputs() / (D + actions.rows()), seen = history * D;
  const Matrix inputs = model_inputs(states, actions, history, action_before);
  PredictionWorkspace workspace;
  Matrix mean;
  Vector leverage;
  model.predict(inputs, true, workspace, mean, leverage);
  const Matrix jacobian = jacobian_rows(model, seen) * workspace.cosine;
  const Vector noise = model.noise_variance();

  // Of all that the belief sees but the actions, which are known: C <- N (F C F' + predictive
  // variance) N', in which F moves what was seen one step back.
  Matrix C = Matrix::Zero(seen, seen), F = Matrix::Zero(seen, seen);
  F.bottomLeftCorner(seen - D, seen - D).setIdentity();
  for (Index t = 0; t < T; ++t) {
    F.topRows(D) = Eigen::Map<const Matrix>(jacobian.col(t).data(), D, seen);
    F.topLeftCorner(D, D).diagonal().array() += 1;
    C = F * C * F.transpose();
    C.diagonal().head(D) += noise * (1 + leverage[t]);
    const Matrix N = onto_circles(angles, states.col(t) + mean.col(t));
    C.topRows(D) = N * C.topRows(D).eval();
    C.leftCols(D) = C.leftCols(D).eval() * N.transpose();
    result.deviation.col(t + 1) = C.diagonal().head(D).cwiseMax(0).cwiseSqrt();
  }
  return result;
}

Forecast forecast_from(const BayesianLinearModel& model, const std::vector<AnglePair>& angles,
                       const Vector& first, const Matrix& actions, const Vector& action_before) {
  const Index T = actions.cols(),
              history = model.features.inputs() / (first.size() + actions.rows());
  Matrix states = first.replicate(1, T + 1);
  for (Index t = 0; t < T; ++t) {
    // As much of the past as the next step is predicted from.
    const Index from = std::max<Index>(0, t - history), count = t + 1 - from;
    const Matrix inputs = model_inputs(states.middleCols(from, count),
                                       actions.middleCols(from, count), history, action_before);
    states.col(t + 1) = states.col(t) + model.predict(inputs.rightCols(1)).mean;
    put_on_circles(angles, states.col(t + 1));
  }
  return forecast(model, angles, states, actions, action_before);
}

}  // namespace rhc
