#include "rhc/plan/feedback.h"

#include <algorithm>

#include "rhc/plan/layout.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/task.h"

namespace rhc {

std::optional<Matrix> feedback_gains(const Dynamics& dynamics, Objective& objective,
                                     const Rollout& rollout, const Box& action_bounds) {
  const Index nx = dynamics.states(), nu = dynamics.actions(), T = rollout.horizon();
  lq::Problem stages(nx, nu, T);
  Matrix feature_slope = Matrix::Zero(dynamics.features(), T);
  Expansion expansion{stages, feature_slope};
  objective.evaluate(rollout);
  objective.expand(rollout, expansion);
  dynamics.add_slope(rollout, feature_slope, stages.g);
  dynamics.linearize(rollout, stages.F);
  // The plan's own slope says which bounds hold their action.
  for (Index t = 0; t < T; ++t) {
    stages.lower.col(t) = action_bounds.lower - rollout.actions.col(t);
    stages.upper.col(t) = action_bounds.upper - rollout.actions.col(t);
  }

  // Actions that cost nothing and change nothing are left as they are.
  const double size = std::max(stages.H.cwiseAbs().maxCoeff(), stages.P.cwiseAbs().maxCoeff());
  lq::Policy policy(nx, nu, T);
  lq::Riccati riccati(nx, nu);
  if (riccati.solve(stages, {.least_curvature = 1e-9 * size}, policy) != lq::RiccatiStatus::ok ||
      !policy.K.allFinite())
    return std::nullopt;
  return policy.K;
}

std::optional<Matrix> feedback_gains(const DynamicsModel& model, const TaskCost& task,
                                     const Box& action_bounds, const Trajectory& before,
                                     const Matrix& actions) {
  const Layout layout = layout_of(model.shape, false);
  const PlanningModel planned = layout.lift(planning_model_of(model));
  const MeanDynamics dynamics(planned, actions.cols());
  Rollout rollout(layout.states(), layout.acted, planned.features(), actions.cols());
  rollout.states.col(0) = layout.first_state(before, model.shape.action_at_rest);
  rollout.actions = actions;
  follow(dynamics, rollout);
  Task objective(task, layout);
  return feedback_gains(dynamics, objective, rollout, action_bounds);
}

}  // namespace rhc
