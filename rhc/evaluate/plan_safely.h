// Plans whose prediction stays inside the system's limits by so many deviations.
#pragma once

#include <optional>
#include <vector>

#include "rhc/evaluate/forecast.h"
#include "rhc/plan/plan_with_model.h"

namespace rhc {

// Where a prediction first comes nearer to a limit than so many deviations.
struct Breach {
  Index step, observation;
  double value;  // the envelope's end there
};

// The first, or nothing where the prediction stays inside. The start is not looked at.
std::optional<Breach> first_breach(const Forecast& forecast, const Box& limits, double sigmas);

// As `plan_with_model`, but with the spec's `safety.sigmas`: the plan is made again with the margin
// that its own prediction asks for, and where that leads nowhere with ever smaller actions (status
// shrunk). One that is not inside even at rest has the status infeasible.
Plan plan_safely(ModelPlanProblem problem, const PlannerSettings& settings,
                 std::vector<Matrix> suggestions = {});

}  // namespace rhc
