// How well a model serves: the cost of a task that is planned with it and carried out blindly.
#pragma once

#include <optional>
#include <vector>

#include "rhc/model/dynamics_model.h"
#include "rhc/plan/planner.h"
#include "rhc/system/system.h"

namespace rhc {

// The system's task, planned with the model from the observed start: for so many systems that it
// holds possible, or with none for its mean. `stay_inside` keeps the plan inside the limits.
Plan plan_task(const DynamicsModel& model, const System& system, bool stay_inside, int draws,
               const PlannerSettings& settings, const std::vector<Matrix>& suggestions = {});
// That plan, and the one for the mean where it is another.
std::vector<Plan> plans_of_task(const DynamicsModel& model, const System& system, bool stay_inside,
                                int draws, const PlannerSettings& settings,
                                const std::vector<Matrix>& suggestions = {});

// These actions in the true system, from its start, without feedback, noise and end conditions.
Trajectory open_loop(const System& system, const Matrix& actions);

// What that costs.
double task_cost(const System& system, const Matrix& actions);

// The task planned with the true dynamics. Up to `hops` times the best plan is disturbed and solved
// again.
Plan plan_with_truth(const System& system, int hops, int threads);

// The least cost that a perfect model could reach. Nothing where no plan is finite.
std::optional<double> task_cost_limit(const System& system, int hops, int threads);

}  // namespace rhc
