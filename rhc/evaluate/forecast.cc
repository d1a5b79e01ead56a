#include "rhc/evaluate/forecast.h"

#include <cmath>

namespace rhc {

Matrix jacobian_rows(const BayesianLinearModel& model) {
  const Index D = model.noise.size(), M = model.features.count();
  const Matrix Q = model.features.frequencies();
  Matrix rows(D * D, M);
  for (Index k = 0; k < D; ++k)
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
  Matrix inputs(D + actions.rows(), T);
  inputs << states.leftCols(T), actions;
  PredictionWorkspace workspace;
  Matrix mean;
  Vector leverage;
  model.predict(inputs, true, workspace, mean, leverage);
  const Matrix jacobian = jacobian_rows(model) * workspace.cosine;
  const Vector noise = model.noise_variance();

  // C <- N (F C F' + predictive variance) N'
  Matrix C = Matrix::Zero(D, D);
  for (Index t = 0; t < T; ++t) {
    Matrix F = Eigen::Map<const Matrix>(jacobian.col(t).data(), D, D);
    F.diagonal().array() += 1;
    C = F * C * F.transpose();
    C.diagonal() += noise * (1 + leverage[t]);
    const Matrix N = onto_circles(angles, states.col(t) + mean.col(t));
    C = N * C * N.transpose();
    result.deviation.col(t + 1) = C.diagonal().cwiseMax(0).cwiseSqrt();
  }
  return result;
}

Forecast forecast_from(const BayesianLinearModel& model, const std::vector<AnglePair>& angles,
                       const Vector& first, const Matrix& actions) {
  Matrix states(first.size(), actions.cols() + 1);
  states.col(0) = first;
  Vector input(first.size() + actions.rows());
  for (Index t = 0; t < actions.cols(); ++t) {
    input << states.col(t), actions.col(t);
    states.col(t + 1) = states.col(t) + model.predict(input).mean;
    put_on_circles(angles, states.col(t + 1));
  }
  return forecast(model, angles, states, actions);
}

}  // namespace rhc
