// What a model expects of the system's task, and what knowing more would be worth.
#pragma once

#include <optional>

#include "rhc/evaluate/closed_loop.h"
#include "rhc/evaluate/task_cost.h"

namespace rhc {

// As the task will be run: with state estimation, feedback and replanning.
struct TaskOutlook {
  double predicted;  // cost of the best plan, if the posterior mean were the truth
  double expected;   // the mean cost, closed-loop, over systems drawn from the posterior
  double gain;  // by how much it would fall, in the mean, if it were known which is the true one
};

// Nothing where the task has no weight, or no plan is finite. `draws` systems are drawn from the
// posterior. What noise costs whoever knows the system is no gain.
std::optional<TaskOutlook> task_outlook(const DynamicsModel& model, const System& system,
                                        bool stay_inside, const PlannerSettings& settings,
                                        const ControllerSettings& controller, int draws);

}  // namespace rhc
