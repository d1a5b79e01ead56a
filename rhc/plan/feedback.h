// How to correct a plan while it is carried out: a = a_plan + K_t (x - x_plan).
#pragma once

#include <optional>

#include "rhc/model/dynamics_model.h"
#include "rhc/plan/dynamics.h"
#include "rhc/plan/objective.h"

namespace rhc {

// Memory for the gains of plans of one size.
struct FeedbackWorkspace {
  FeedbackWorkspace(const Dynamics& dynamics, Index horizon);

  lq::Problem stages;
  Matrix feature_slope;
  lq::Policy policy;
  lq::Riccati riccati;
};

// The gains K_t (nu x nx each, side by side) of the linear-quadratic regulator around a plan, by
// the dynamics' first derivatives and the objective's second ones. An action that the bounds hold
// is left there: its gains are zero, and those before it know that it will not help. `rollout` has
// closed gaps. Nothing where they are not finite.
std::optional<Matrix> feedback_gains(const Dynamics& dynamics, Objective& objective,
                                     const Rollout& rollout, const Box& action_bounds);

// The same without allocating: they are left in `workspace.policy.K`. False where they are not
// finite.
bool feedback_gains(const Dynamics& dynamics, Objective& objective, const Rollout& rollout,
                    const Box& action_bounds, FeedbackWorkspace& workspace);

// Around these actions after what was seen `before`, for a task: the gains correct by all that the
// model sees.
std::optional<Matrix> feedback_gains(const DynamicsModel& model, const TaskCost& task,
                                     const Box& action_bounds, const Trajectory& before,
                                     const Matrix& actions);

}  // namespace rhc
