#include "rhc/plan/replan.h"

#include <cmath>

#include "rhc/plan/margin.h"

namespace rhc {

namespace {

bool usable(const Plan& plan) {
  return plan.status != PlanStatus::infeasible && plan.status != PlanStatus::failed;
}

// By how much its forecast comes too near to the limits; 0 where it keeps its margin.
double breach_of(const ModelPlanProblem& problem, const Plan& plan) {
  const Forecast expected = forecast(problem.model, problem.before, plan.states, plan.actions);
  return farthest_breach(expected, problem.spec.limits, problem.sigmas);
}

}  // namespace

Plan replan_with_model(const ModelPlanProblem& problem, const PlannerSettings& settings,
                       const Matrix& rest) {
  const LiftedProblem lifted(problem);
  const Plan old = lifted.along(rest);
  const Plan found = plan_with_model(lifted, settings, {rest});
  const double breach = problem.sigmas > 0 ? breach_of(problem, old) : 0;
  if (breach > 0 && !usable(found)) {
    // Neither keeps its margin: what was planned, or nothing but rest. A machine that moves is not
    // always safest at rest.
    Plan less = breach < breach_of(problem, found) ? old : found;
    less.status = PlanStatus::infeasible;
    return less;
  }
  if (!usable(old) || breach > 0) return found;
  if (!usable(found)) return old;
  const double gain = old.sign * (old.objective - found.objective);
  return gain > kWorthLeaving * std::abs(old.objective) ? found : old;
}

}  // namespace rhc
