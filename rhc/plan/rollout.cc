#include "rhc/plan/rollout.h"

namespace rhc {

Rollout::Rollout(Index nx, Index nu, Index features, Index horizon)
    : states(Matrix::Zero(nx, horizon + 1)),
      actions(Matrix::Zero(nu, horizon)),
      next(Matrix::Zero(nx, horizon)),
      phi(features, horizon),
      cosine(features, horizon),
      unprojected(Matrix::Zero(nx, horizon)) {}

}  // namespace rhc
