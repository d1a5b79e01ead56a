#include "rhc/plan/plan_with_model.h"

#include "rhc/plan/mean_dynamics.h"

namespace rhc {

namespace {

Matrix changes_of(const SystemSpec& spec, const Matrix& actions) {
  Matrix changes = actions;
  changes.col(0) -= action_at_rest(spec);
  changes.rightCols(actions.cols() - 1) -= actions.leftCols(actions.cols() - 1);
  return changes;
}

// What is kept of the observations is nothing to those remembered; the actions that changes add up
// to have bounds, too.
Box bounds_of_states(const Layout& layout, const SystemSpec& spec, const Box& limits) {
  Box bounds = Box::unbounded(layout.states());
  bounds.lower.head(layout.observed) = limits.lower;
  bounds.upper.head(layout.observed) = limits.upper;
  if (!layout.changes) return bounds;
  bounds.lower.tail(layout.acted) = spec.action_bounds.lower;
  bounds.upper.tail(layout.acted) = spec.action_bounds.upper;
  return bounds;
}

Box bounds_of_changes(const SystemSpec& spec) {
  const Vector range = spec.action_bounds.upper - spec.action_bounds.lower;
  const Vector most = (spec.safety.rate * spec.time_step).cwiseMin(range);
  return {-most, most};
}

// A search may leave the bounds of what its changes add up to by a hair; a machine's plan does not.
void follow_again(const Belief& belief, const Layout& layout, const SystemSpec& spec,
                  const Vector& first, const Matrix& actions, Plan& plan) {
  const MeanDynamics dynamics(belief, actions.cols());
  Rollout rollout(layout.states(), layout.acted, belief.features(), actions.cols());
  rollout.states.col(0) = first;
  rollout.actions = changes_of(spec, actions);
  follow(dynamics, rollout);
  plan.states = rollout.states;
}

}  // namespace

Layout layout_of(const SystemSpec& spec) {
  return {.observed = spec.outputs(),
          .acted = spec.action_bounds.size(),
          .history = spec.history,
          .changes = spec.safety.rate.size() > 0};
}

Matrix with_limited_rate(const SystemSpec& spec, Matrix actions) {
  if (spec.safety.rate.size() == 0) return actions;
  const Box most = bounds_of_changes(spec);
  Vector before = action_at_rest(spec);
  for (Index t = 0; t < actions.cols(); ++t) {
    before = spec.action_bounds.clip(before + most.clip(actions.col(t) - before));
    actions.col(t) = before;
  }
  return actions;
}

Plan plan_with_model(const ModelPlanProblem& problem, const PlannerSettings& settings,
                     const std::vector<Matrix>& suggestions) {
  const SystemSpec& spec = problem.spec;
  const Layout layout = layout_of(spec);
  const Belief belief = layout.lift(belief_of(problem.model, problem.angles));
  const auto controls = [&](const Matrix& actions) {
    return layout.changes ? changes_of(spec, with_limited_rate(spec, actions)) : actions;
  };

  PlanProblem lifted{
      .dynamics = [&] { return std::make_unique<MeanDynamics>(belief, spec.horizon); },
      .objective = [&] { return problem.objective(belief, layout); },
      .first_state = layout.first_state(problem.start, action_at_rest(spec)),
      .action_bounds = layout.changes ? bounds_of_changes(spec) : spec.action_bounds,
      .state_bounds = bounds_of_states(layout, spec, problem.limits),
      .horizon = spec.horizon};
  if (problem.margin.size() > 0) {
    lifted.margin = Matrix::Zero(layout.states(), spec.horizon);
    lifted.margin.topRows(layout.observed) = problem.margin;
  }
  if (layout.changes)
    lifted.start_actions = [&](int i) {
      return controls(start_signal(spec.action_bounds, spec.horizon, settings, i));
    };
  std::vector<Matrix> starts;
  for (const Matrix& actions : suggestions) starts.push_back(controls(actions));

  Plan result = plan(lifted, settings, starts);
  if (layout.plain()) return result;
  result.actions = with_limited_rate(spec, layout.actions(result.states, result.actions));
  if (layout.changes)
    follow_again(belief, layout, spec, lifted.first_state, result.actions, result);
  result.states = result.states.topRows(layout.observed).eval();
  return result;
}

}  // namespace rhc
