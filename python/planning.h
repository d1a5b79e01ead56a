// What plans through Python have in common.
#pragma once

#include <string>

#include "rhc/model/dynamics_model.h"
#include "rhc/plan/planner.h"
#include "rhc/system/system.h"

namespace rhc::python {

struct PlanWish {
  std::string objective;  // a curious one, or "task"
  Vector weights{};       // of the steps, for a curious one
  bool stay_inside = true;
  double limit_margin = 0;
  int draws = 0;  // systems that a task is planned for; 0: the mean of the model
};

// The plan that `plan_with_model` makes, or of a task `plan_over_draws`. With Python released:
// It begins after what was seen and
// done `before`. Throws Interrupted where a signal asked for it, and Python then holds what was
// raised.
Plan plan_with_signals(const DynamicsModel& model, const SystemSpec& spec, const Trajectory& before,
                       const PlanWish& wish, PlannerSettings settings);

}  // namespace rhc::python
