#include "rhc/evaluate/forecast.h"

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
                  const Matrix& states, const Matrix& actions) {
  const Index D = states.rows(), T = actions.cols();
  Forecast result{states, Matrix::Zero(D, T + 1), actions};
  if (T == 0) return result;
  const Index seen = model.features.inputs() - actions.rows();  // D times the history
  const Matrix inputs = model_inputs(states, actions, seen / D);
  PredictionWorkspace workspace;
  Matrix mean;
  Vector leverage;
  model.predict(inputs, true, workspace, mean, leverage);
  const Matrix jacobian = jacobian_rows(model, seen) * workspace.cosine;
  const Vector noise = model.noise_variance();

  // Of all that the belief sees: C <- N (F C F' + predictive variance) N', in which F moves what
  // was seen one step back.
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
                       const Vector& first, const Matrix& actions) {
  const Index D = first.size(), seen = model.features.inputs() - actions.rows();
  Matrix states(D, actions.cols() + 1);
  states.col(0) = first;
  Vector input(seen + actions.rows());
  input.head(seen) = first.replicate(seen / D, 1);
  for (Index t = 0; t < actions.cols(); ++t) {
    input.tail(actions.rows()) = actions.col(t);
    states.col(t + 1) = states.col(t) + model.predict(input).mean;
    put_on_circles(angles, states.col(t + 1));
    input.segment(D, seen - D) = input.head(seen - D).eval();
    input.head(D) = states.col(t + 1);
  }
  return forecast(model, angles, states, actions);
}

}  // namespace rhc
