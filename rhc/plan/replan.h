// The rest of a plan while it is carried out: followed as it is, or left for a better one.
#pragma once

#include "rhc/plan/plan_with_model.h"

namespace rhc {

// By which share another plan must be better. Searches end in different local optima by less than
// that, and wandering between them costs more than it gains.
inline constexpr double kWorthLeaving = 0.002;

// Both are valued with the problem's model, from where the system is now. A rest that leaves its
// limits, or that does not keep the margin, is left for one that does. Where none does, it is that
// or nothing but rest, whichever comes less near to the limits, and `infeasible`. `rest` has as
// many actions as the problem has steps.
Plan replan_with_model(const ModelPlanProblem& problem, const PlannerSettings& settings,
                       const Matrix& rest);

}  // namespace rhc
