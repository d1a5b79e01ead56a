#include "rhc/plan/feedback.h"

#include <algorithm>
#include <utility>

#include "rhc/plan/layout.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/task.h"

namespace rhc {

FeedbackWorkspace::FeedbackWorkspace(const Dynamics& dynamics, Index horizon)
    : stages(dynamics.states(), dynamics.actions(), horizon),
      feature_slope(Matrix::Zero(dynamics.features(), horizon)),
      policy(dynamics.states(), dynamics.actions(), horizon),
      riccati(dynamics.states(), dynamics.actions()) {}

bool feedback_gains(const Dynamics& dynamics, Objective& objective, const Rollout& rollout,
                    const Box& action_bounds, FeedbackWorkspace& workspace) {
  lq::Problem& stages = workspace.stages;
  stages.g.setZero();
  stages.H.setZero();
  stages.P.setZero();
  stages.p.setZero();
  workspace.feature_slope.setZero();
  Expansion expansion{stages, workspace.feature_slope};
  objective.evaluate(rollout);
  objective.expand(rollout, expansion);
  dynamics.add_slope(rollout, workspace.feature_slope, stages.g);
  dynamics.linearize(rollout, stages.F);
  // The plan's own slope says which bounds hold their action.
  for (Index t = 0; t < rollout.horizon(); ++t) {
    stages.lower.col(t) = action_bounds.lower - rollout.actions.col(t);
    stages.upper.col(t) = action_bounds.upper - rollout.actions.col(t);
  }

  // Actions that cost nothing and change nothing are left as they are.
  const double size = std::max(stages.H.cwiseAbs().maxCoeff(), stages.P.cwiseAbs().maxCoeff());
  return workspace.riccati.solve(stages, {.least_curvature = 1e-9 * size}, workspace.policy) ==
             lq::RiccatiStatus::ok &&
         workspace.policy.K.allFinite();
}

std::optional<Matrix> feedback_gains(const Dynamics& dynamics, Objective& objective,
                                     const Rollout& rollout, const Box& action_bounds) {
  FeedbackWorkspace workspace(dynamics, rollout.horizon());
  if (!feedback_gains(dynamics, objective, rollout, action_bounds, workspace)) return std::nullopt;
  return std::move(workspace.policy.K);
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
