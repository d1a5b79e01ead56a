#include "rhc/evaluate/plan_safely.h"

#include <cmath>
#include <optional>

namespace rhc {

namespace {

// More than this share of a limit's range leaves no room to plan in.
constexpr double kLargestMargin = 0.45;
constexpr int kMostPlans = 5;

Matrix margin_of(const Forecast& forecast, const Box& limits, double sigmas) {
  Matrix margin = sigmas * forecast.deviation.rightCols(forecast.actions.cols());
  for (Index i = 0; i < margin.rows(); ++i) {
    const double range = limits.upper[i] - limits.lower[i];
    if (std::isfinite(range)) margin.row(i) = margin.row(i).cwiseMin(kLargestMargin * range);
  }
  return margin;
}

}  // namespace

std::optional<Breach> first_breach(const Forecast& forecast, const Box& limits, double sigmas) {
  for (Index t = 1; t < forecast.mean.cols(); ++t)
    for (Index i = 0; i < limits.size(); ++i) {
      const double reach = sigmas * forecast.deviation(i, t), mean = forecast.mean(i, t);
      if (!(mean + reach <= limits.upper[i])) return Breach{t, i, mean + reach};
      if (!(mean - reach >= limits.lower[i])) return Breach{t, i, mean - reach};
    }
  return std::nullopt;
}

Plan plan_safely(ModelPlanProblem problem, const PlannerSettings& settings,
                 std::vector<Matrix> suggestions) {
  const SystemSpec& spec = problem.spec;
  const double sigmas = spec.safety.sigmas;
  if (sigmas == 0) return plan_with_model(problem, settings, suggestions);

  const Vector rest = action_at_rest(spec);
  Plan plan;
  for (int i = 0; i < kMostPlans; ++i) {
    plan = plan_with_model(problem, settings, suggestions);
    const Forecast expected =
        forecast(problem.model, problem.angles, plan.states, plan.actions, rest);
    if (!first_breach(expected, spec.limits, sigmas)) return plan;
    problem.margin = margin_of(expected, problem.limits, sigmas);
    suggestions.push_back(plan.actions);
  }

  // Nearer and nearer to what the machine does at rest.
  const Matrix planned = plan.actions;
  const int iterations = plan.iterations;
  for (const double share : {0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.0}) {
    plan = follow_with_model(problem, (share * planned).colwise() + (1 - share) * rest);
    const Forecast expected =
        forecast(problem.model, problem.angles, plan.states, plan.actions, rest);
    plan.iterations = iterations;
    plan.status = PlanStatus::shrunk;
    if (!first_breach(expected, spec.limits, sigmas)) return plan;
  }
  plan.status = PlanStatus::infeasible;
  return plan;
}

}  // namespace rhc
