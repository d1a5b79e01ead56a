#include "rhc/plan/replan.h"

#include <cmath>

#include "rhc/plan/margin.h"

namespace rhc {

namespace {

bool usable(const Plan& plan) {
  return plan.status != PlanStatus::infeasible && plan.status != PlanStatus::failed;
}

bool keeps_margin(const ModelPlanProblem& problem, const Plan& plan) {
  if (problem.sigmas == 0) return true;
  const Forecast expected = forecast(problem.model, problem.before, plan.states, plan.actions);
  return !first_breach(expected, problem.spec.limits, problem.sigmas);
}

}  // namespace

Plan replan_with_model(const ModelPlanProblem& problem, const PlannerSettings& settings,
                       const Matrix& rest) {
  const LiftedProblem lifted(problem);
  const Plan old = lifted.along(rest);
  const Plan found = plan_with_model(lifted, settings, {rest});
  if (!usable(old) || !keeps_margin(problem, old)) return found;
  if (!usable(found)) return old;
  const double gain = old.sign * (old.objective - found.objective);
  return gain > kWorthLeaving * std::abs(old.objective) ? found : old;
}

}  // namespace rhc
