#include "rhc/model/noise_split.h"

#include <algorithm>

#include "rhc/model/forgetting.h"

namespace rhc {

NoiseSplit split_noise(const Regression& regression, const std::vector<Transitions>& episodes) {
  const Index D = regression.outputs();
  const Vector variance = regression.noise_variance();
  const MeanJacobian mean_jacobian(regression, D);
  // The residual of step t is e_t = r_{t+1} - F_t r_t + q_t, so that E[e_{t+1} e_t'] = -F_{t+1} R:
  // a least-squares estimate of each R_k over all steps and outputs, in units of their noise.
  Vector against = Vector::Zero(D), squares = Vector::Zero(D), left_over = Vector::Zero(D);
  Matrix amplified = Matrix::Zero(D, D);  // sums of F_jk^2
  Index steps = 0;
  RegressionWorkspace workspace;
  Matrix mean, leverage, jacobian;
  for (const Transitions& episode : episodes) {
    if (episode.count() == 0) continue;
    regression.predict(episode.inputs, true, workspace, mean, leverage);
    mean_jacobian.evaluate(episode.inputs, workspace, jacobian);
    Matrix error = episode.outputs - mean;
    weigh(episode.weights.cwiseSqrt(), error);
    left_over += error.rowwise().squaredNorm();
    for (Index t = 0; t < episode.count(); ++t) {
      Eigen::Map<Matrix> F(jacobian.col(t).data(), D, D);
      F.diagonal().array() += 1;
      amplified += F.cwiseAbs2();
      if (t == 0) continue;
      for (Index k = 0; k < D; ++k)
        for (Index j = 0; j < D; ++j) {
          against[k] -= F(j, k) / variance[j] * error(j, t) * error(k, t - 1);
          squares[k] += F(j, k) * F(j, k) / variance[j];
        }
    }
    steps += episode.count();
  }
  NoiseSplit split{Vector::Zero(D), variance.cwiseSqrt()};
  if (steps < 2) return split;

  const double count = static_cast<double>(steps);
  const Vector seen = (left_over / count).cwiseMax(1e-300);
  Vector R(D);
  for (Index k = 0; k < D; ++k) {
    // What is left over of the data that were learned from is less than the noise was.
    const double scale = variance[k] / seen[k];
    R[k] = std::clamp(scale * against[k] / std::max(squares[k], 1e-300), 0.0, variance[k]);
  }
  const Vector Q = variance - R - amplified / count * R;
  // Some of it is always taken to move the system: what a model has wrong does.
  constexpr double kLeastShare = 0.01;
  split.sensor = R.cwiseSqrt();
  split.process = Q.cwiseMax(kLeastShare * variance).cwiseSqrt();
  return split;
}

}  // namespace rhc
