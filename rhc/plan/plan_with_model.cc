#include "rhc/plan/plan_with_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/plan/margin.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/task.h"

namespace rhc {

namespace {

Plan plan_with_margin(const LiftedProblem& lifted, const Matrix& margin,
                      const PlannerSettings& settings, const std::vector<Matrix>& suggestions) {
  PlanProblem problem = lifted.with_margin(margin);
  if (lifted.layout.changes)
    problem.start_actions = [&](int i) {
      return lifted.controls(
          start_signal(lifted.wanted.spec.action_bounds, problem.horizon, settings, i));
    };
  std::vector<Matrix> starts;
  for (const Matrix& actions : suggestions) starts.push_back(lifted.controls(actions));

  const Plan found = plan(problem, settings, starts);
  if (lifted.layout.plain()) return found;
  // A search may leave the bounds of what its changes add up to by a hair; a machine's plan does
  // not, and is judged as what it is.
  Plan result =
      lifted.along(lifted.layout.actions(found.states, found.actions), margin, settings.shooting);
  result.iterations = found.iterations;
  if (result.status == PlanStatus::stopped && found.status == PlanStatus::converged)
    result.status = PlanStatus::converged;
  return result;
}

// The actions made smaller and smaller, towards what the machine does at rest.
Plan shrink(const LiftedProblem& lifted, const Matrix& margin, const Plan& planned) {
  const ModelPlanProblem& problem = lifted.wanted;
  const Vector& rest = problem.model.shape.action_at_rest;
  Plan plan = planned;
  for (const double share : {0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.0}) {
    plan = lifted.along((share * planned.actions).colwise() + (1 - share) * rest, margin);
    plan.iterations = planned.iterations;
    plan.status = PlanStatus::shrunk;
    const Forecast expected = forecast(problem.model, problem.before, plan.states, plan.actions);
    if (!first_breach(expected, problem.spec.limits, problem.sigmas)) return plan;
  }
  plan.status = PlanStatus::infeasible;
  return plan;
}

}  // namespace

Matrix changes_of(const Matrix& actions, const Vector& before) {
  Matrix changes = actions;
  changes.col(0) -= before;
  changes.rightCols(actions.cols() - 1) -= actions.leftCols(actions.cols() - 1);
  return changes;
}

Box bounds_of_states(const Layout& layout, const SystemSpec& spec, const Box& limits) {
  Box bounds = Box::unbounded(layout.states());
  bounds.lower.head(layout.observed) = limits.lower;
  bounds.upper.head(layout.observed) = limits.upper;
  if (!layout.changes) return bounds;
  bounds.lower.segment(layout.first_action(), layout.acted) = spec.action_bounds.lower;
  bounds.upper.segment(layout.first_action(), layout.acted) = spec.action_bounds.upper;
  return bounds;
}

Box bounds_of_changes(const SystemSpec& spec) {
  const Vector range = spec.action_bounds.upper - spec.action_bounds.lower;
  const Vector most = (spec.safety.rate * spec.time_step).cwiseMin(range);
  return {-most, most};
}

Box bounds_of_controls(const Layout& layout, const SystemSpec& spec) {
  return layout.changes ? bounds_of_changes(spec) : spec.action_bounds;
}

ModelObjective curious_objective(std::string name, Vector time_weights) {
  return [name = std::move(name), weights = std::move(time_weights)](
             const PlanningModel& model, const Layout&) -> std::unique_ptr<Objective> {
    return make_curious_objective(name, model, weights);
  };
}

ModelObjective task_objective(TaskCost task) {
  return [task = std::move(task)](const PlanningModel&,
                                  const Layout& layout) -> std::unique_ptr<Objective> {
    return std::make_unique<Task>(task, layout);
  };
}

Box task_limits(const SystemSpec& spec, bool stay_inside) {
  return stay_inside ? spec.limits : Box::unbounded(spec.outputs());
}

Box planning_limits(const SystemSpec& spec, const Vector& start, bool stay_inside, double margin) {
  Box bounds = task_limits(spec, stay_inside);
  for (Index i = 0; i < bounds.size(); ++i) {
    const double range = bounds.upper[i] - bounds.lower[i];
    if (!std::isfinite(range)) continue;
    bounds.lower[i] = std::min(bounds.lower[i] + margin * range, start[i]);
    bounds.upper[i] = std::max(bounds.upper[i] - margin * range, start[i]);
  }
  return bounds;
}

Matrix with_limited_rate(const SystemSpec& spec, Matrix actions, Vector before) {
  if (spec.safety.rate.size() == 0) return actions;
  const Box most = bounds_of_changes(spec);
  for (Index t = 0; t < actions.cols(); ++t) {
    before = spec.action_bounds.clip(before + most.clip(actions.col(t) - before));
    actions.col(t) = before;
  }
  return actions;
}

LiftedProblem::LiftedProblem(const ModelPlanProblem& problem_wanted)
    : wanted(problem_wanted),
      action_before(last_action(wanted.before, wanted.model.shape.action_at_rest)),
      layout(layout_of(wanted.model.shape, wanted.spec.safety.rate.size() > 0)),
      model(layout.lift(planning_model_of(wanted.model))),
      problem{.dynamics = [this] { return std::make_unique<MeanDynamics>(model, wanted.horizon); },
              .objective = [this] { return wanted.objective(model, layout); },
              .first_state = layout.first_state(wanted.before, wanted.model.shape.action_at_rest),
              .action_bounds = bounds_of_controls(layout, wanted.spec),
              .state_bounds = bounds_of_states(layout, wanted.spec, wanted.limits),
              .horizon = wanted.horizon} {}

PlanProblem LiftedProblem::with_margin(const Matrix& margin) const {
  PlanProblem result = problem;
  if (margin.size() == 0) return result;
  result.margin = Matrix::Zero(layout.states(), wanted.horizon);
  result.margin.topRows(layout.observed) = margin;
  return result;
}

Matrix LiftedProblem::possible(const Matrix& actions) const {
  return with_limited_rate(wanted.spec, actions, action_before);
}

Matrix LiftedProblem::controls(const Matrix& actions) const {
  return layout.changes ? changes_of(possible(actions), action_before) : actions;
}

Plan LiftedProblem::along(const Matrix& actions, const Matrix& margin,
                          const ShootingSettings& settings) const {
  Plan result = followed(with_margin(margin), controls(actions), settings);
  result.actions = possible(actions);
  result.states = result.states.topRows(layout.observed).eval();
  return result;
}

Plan follow_with_model(const ModelPlanProblem& problem, const Matrix& actions) {
  return LiftedProblem(problem).along(actions);
}

Plan plan_with_model(const LiftedProblem& lifted, const PlannerSettings& settings,
                     std::vector<Matrix> suggestions) {
  const ModelPlanProblem& problem = lifted.wanted;
  if (problem.sigmas == 0) return plan_with_margin(lifted, {}, settings, suggestions);

  constexpr int kMostPlans = 5;
  Matrix margin;
  Plan plan;
  for (int i = 0; i < kMostPlans; ++i) {
    plan = plan_with_margin(lifted, margin, settings, suggestions);
    const Forecast expected = forecast(problem.model, problem.before, plan.states, plan.actions);
    if (!first_breach(expected, problem.spec.limits, problem.sigmas)) return plan;
    margin = margin_of(expected, problem.limits, problem.sigmas);
    suggestions.push_back(plan.actions);
  }
  return shrink(lifted, margin, plan);
}

Plan plan_with_model(const ModelPlanProblem& problem, const PlannerSettings& settings,
                     std::vector<Matrix> suggestions) {
  return plan_with_model(LiftedProblem(problem), settings, std::move(suggestions));
}

}  // namespace rhc
