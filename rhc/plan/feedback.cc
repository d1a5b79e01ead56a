#include "rhc/plan/feedback.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace rhc {

Matrix feedback_gains(const Dynamics& dynamics, Objective& objective, const Rollout& rollout) {
  const Index nx = dynamics.states(), nu = dynamics.actions(), T = rollout.horizon();
  lq::Problem stages(nx, nu, T);
  stages.H.setZero();
  stages.g.setZero();
  stages.P.setZero();
  stages.p.setZero();
  Matrix feature_slope = Matrix::Zero(dynamics.features(), T);
  Expansion expansion{stages, feature_slope};
  objective.evaluate(rollout);
  objective.expand(rollout, expansion);
  dynamics.linearize(rollout, stages.F);

  Matrix K(nu, nx * T), V = stages.P;
  for (Index t = T - 1; t >= 0; --t) {
    const Matrix M = stages.H_(t) + stages.F_(t).transpose() * V * stages.F_(t);
    // Actions that cost nothing and change nothing are left as they are.
    Matrix R = M.bottomRightCorner(nu, nu);
    R.diagonal().array() += 1e-9 * std::max(1e-12, M.diagonal().maxCoeff());
    const Matrix gain = -R.llt().solve(M.bottomLeftCorner(nu, nx));
    K.middleCols(t * nx, nx) = gain;
    V = M.topLeftCorner(nx, nx) + M.topRightCorner(nx, nu) * gain;
    V = 0.5 * (V + V.transpose()).eval();
  }
  return K;
}

}  // namespace rhc
