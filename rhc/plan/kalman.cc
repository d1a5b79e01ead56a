#include "rhc/plan/kalman.h"

namespace rhc {

KalmanWorkspace::KalmanWorkspace(Index states, Index measured)
    : S(measured, measured),
      HP(measured, states),
      solved(measured, states),
      gain(states, measured),
      spread(states, states),
      taken(states, states),
      sum(states, states),
      move(states),
      factor(measured) {}

void spread_covariance(const ConstMatrixRef& F, const Eigen::Ref<const Vector>& step_variance,
                       Matrix& covariance, KalmanWorkspace& workspace) {
  workspace.spread.noalias() = F * covariance;
  covariance.noalias() = workspace.spread * F.transpose();
  covariance.diagonal() += step_variance;
}

void expect_innovation(const Matrix& H, const Vector& sensor_variance, const Matrix& covariance,
                       KalmanWorkspace& workspace) {
  workspace.HP.noalias() = H * covariance;
  workspace.S.noalias() = workspace.HP * H.transpose();
  workspace.S.diagonal() += sensor_variance;
  // Where neither the sensor nor the state is in doubt, there is nothing to correct.
  const double least = 1e-12 * workspace.S.diagonal().mean() + 1e-300;
  workspace.S.diagonal().array() += least;
  workspace.factor.compute(workspace.S);
}

void take_innovation(const Matrix& H, const Vector& innovation, Vector& mean, Matrix& covariance,
                     KalmanWorkspace& workspace) {
  KalmanWorkspace& w = workspace;
  w.solved = w.HP;
  w.factor.solveInPlace(w.solved);
  w.gain = w.solved.transpose();
  w.move.noalias() = w.gain * innovation;
  mean += w.move;
  // (gain H) P, as the plain formula has it.
  w.spread.noalias() = w.gain * H;
  w.taken.noalias() = w.spread * covariance;
  covariance -= w.taken;
  w.sum = covariance;
  covariance = 0.5 * (w.sum + w.sum.transpose());
}

}  // namespace rhc
