#include "rhc/plan/planning_model.h"

#include "rhc/model/cholesky.h"

namespace rhc {

PlanningModel planning_model_of(const DynamicsModel& model) {
  const BayesianLinearModel& regression = model.regression;
  const Index M = regression.features.count();
  PlanningModel planned{.Q = regression.features.frequencies(),
                        .phase = regression.features.phase,
                        .W = regression.weights * regression.outputs.scale.asDiagonal(),
                        .offset = regression.outputs.mean,
                        .inverse_factor = Matrix::Identity(M, M),
                        .angles = model.shape.angles,
                        .outputs = model.outputs()};
  solve_lower(regression.factor, planned.inverse_factor);
  return planned;
}

}  // namespace rhc
