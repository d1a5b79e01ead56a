#include "rhc/evaluate/task_cost.h"

#include "rhc/plan/plan_over_draws.h"
#include "rhc/plan/true_dynamics.h"

namespace rhc {

Plan plan_task(const DynamicsModel& model, const System& system, bool stay_inside, int draws,
               const PlannerSettings& settings, const std::vector<Matrix>& suggestions) {
  return plans_of_task(model, system, stay_inside, draws, settings, suggestions).front();
}

std::vector<Plan> plans_of_task(const DynamicsModel& model, const System& system, bool stay_inside,
                                int draws, const PlannerSettings& settings,
                                const std::vector<Matrix>& suggestions) {
  const SystemSpec& spec = system.spec();
  return plans_over_draws(
      {.model = model,
       .spec = spec,
       .before = standing_at(system.observe(spec.start), spec.action_bounds.size()),
       .horizon = spec.horizon,
       .limits = task_limits(spec, stay_inside),
       .objective = task_objective(spec.task)},
      draws, settings, suggestions);
}

Trajectory open_loop(const System& system, const Matrix& actions) {
  const SystemSpec& spec = system.spec();
  Trajectory trajectory{Matrix(spec.outputs(), actions.cols() + 1), actions};
  Vector state = spec.start;
  trajectory.observations.col(0) = system.observe(state);
  for (Index t = 0; t < actions.cols(); ++t) {
    state = system.step(state, actions.col(t));
    trajectory.observations.col(t + 1) = system.observe(state);
  }
  return trajectory;
}

double task_cost(const System& system, const Matrix& actions) {
  return system.spec().task.total(open_loop(system, actions));
}

Plan plan_with_truth(const System& system, int hops, int threads) {
  const SystemSpec& spec = system.spec();
  const PlanProblem problem{.dynamics = [&] { return std::make_unique<TrueDynamics>(system); },
                            .objective = [&] { return std::make_unique<TrueTask>(system); },
                            .first_state = spec.start,
                            .action_bounds = spec.action_bounds,
                            .state_bounds = Box::unbounded(spec.start.size()),
                            .horizon = spec.horizon};
  const PlannerSettings settings{.starts = 32,
                                 .hops = hops,
                                 .patience = 96,
                                 .shooting = {.tolerance = 1e-6},
                                 .threads = threads};
  return plan(problem, settings);
}

std::optional<double> task_cost_limit(const System& system, int hops, int threads) {
  const Plan best = plan_with_truth(system, hops, threads);
  if (best.status == PlanStatus::failed) return std::nullopt;
  return best.objective;
}

}  // namespace rhc
