#include "rhc/model/noise_split.h"

#include <algorithm>

#include "rhc/model/forgetting.h"

namespace rhc {

NoiseSplit split_noise(const Regression& regression, const std::vector<Transitions>& episodes,
                       const StopSignal& stop) {
  const Index D = regression.outputs();
  const Vector variance = regression.noise_variance();
  const MeanJacobian mean_jacobian(regression, D);
  // The residual of step t is e_t = r_{t+1} - F_t r_t + q_t, so that E[e_{t+1} e_t'] = -F_{t+1} R:
  // a least-squares estimate of each R_k over all steps and outputs, in units of their noise.
  Vector against = Vector::Zero(D), squares = Vector::Zero(D), left_over = Vector::Zero(D);
  Matrix amplified = Matrix::Zero(D, D);  // sums of F_jk^2
  Index steps = 0;
  RegressionWorkspace workspace;
  Matrix mean, jacobian;
  const Index block = prediction_block(regression.groups[0].posterior.features.count());
  for (const Transitions& episode : episodes) {
    Vector before;  // the error of the last step, in a block that follows another
    for (Index first = 0; first < episode.count(); first += block) {
      stop.check();
      const auto part = Eigen::seqN(first, std::min(block, episode.count() - first));
      const Matrix inputs = episode.inputs(Eigen::all, part);
      regression.predict_mean(inputs, true, workspace, mean);
      mean_jacobian.evaluate(inputs, workspace, jacobian);
      Matrix error = episode.outputs(Eigen::all, part) - mean;
      if (episode.weights.size() > 0) weigh(episode.weights(part).cwiseSqrt(), error);
      left_over += error.rowwise().squaredNorm();
      for (Index t = 0; t < error.cols(); ++t) {
        Eigen::Map<Matrix> F(jacobian.col(t).data(), D, D);
        F.diagonal().array() += 1;
        amplified += F.cwiseAbs2();
        if (first == 0 && t == 0) continue;
        const Vector last = t > 0 ? Vector(error.col(t - 1)) : before;
        for (Index k = 0; k < D; ++k)
          for (Index j = 0; j < D; ++j) {
            against[k] -= F(j, k) / variance[j] * error(j, t) * last[k];
            squares[k] += F(j, k) * F(j, k) / variance[j];
          }
      }
      before = error.rightCols(1);
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
