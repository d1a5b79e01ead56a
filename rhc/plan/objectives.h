// All objectives by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/plan/objective.h"
#include "rhc/plan/planning_model.h"

namespace rhc {

// us: summed variance; info: information step by step; evr: entropy of the parameters.
std::vector<std::string> curious_objectives();

// Refers to the model. InputError with the nearest name where there is no such objective.
std::unique_ptr<Objective> make_curious_objective(std::string_view name, const PlanningModel& model,
                                                  const Vector& time_weights);

// How much a step counts.
enum class TimeWeights {
  uniform,
  last,      // only the last step
  discount,  // a factor less from step to step
};

Vector time_weights(TimeWeights kind, double factor, Index horizon);

}  // namespace rhc
