#include "rhc/plan/belief.h"

#include "rhc/model/cholesky.h"

namespace rhc {

Belief belief_of(const BayesianLinearModel& model, const std::vector<AnglePair>& angles) {
  Belief belief{.Q = model.features.frequencies(),
                .phase = model.features.phase,
                .W = model.weights * model.outputs.scale.asDiagonal(),
                .offset = model.outputs.mean,
                .inverse_factor = Matrix::Identity(model.features.count(), model.features.count()),
                .angles = angles};
  solve_lower(model.factor, belief.inverse_factor);
  return belief;
}

}  // namespace rhc
