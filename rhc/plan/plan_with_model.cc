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
  bounds.lower.segment(layout.first_action(), layout.acted) = spec.action_bounds.lower;
  bounds.upper.segment(layout.first_action(), layout.acted) = spec.action_bounds.upper;
  return bounds;
}

Box bounds_of_changes(const SystemSpec& spec) {
  const Vector range = spec.action_bounds.upper - spec.action_bounds.lower;
  const Vector most = (spec.safety.rate * spec.time_step).cwiseMin(range);
  return {-most, most};
}

// The problem over the states of its layout.
struct Lifted {
  explicit Lifted(const ModelPlanProblem& wanted)
      : spec(wanted.spec),
        layout(layout_of(spec)),
        belief(layout.lift(belief_of(wanted.model, wanted.angles))),
        problem{.dynamics = [this] { return std::make_unique<MeanDynamics>(belief, spec.horizon); },
                .objective = [this, &wanted] { return wanted.objective(belief, layout); },
                .first_state = layout.first_state(wanted.start, action_at_rest(spec)),
                .action_bounds = layout.changes ? bounds_of_changes(spec) : spec.action_bounds,
                .state_bounds = bounds_of_states(layout, spec, wanted.limits),
                .horizon = spec.horizon} {
    if (wanted.margin.size() == 0) return;
    problem.margin = Matrix::Zero(layout.states(), spec.horizon);
    problem.margin.topRows(layout.observed) = wanted.margin;
  }
  Lifted(const Lifted&) = delete;

  Matrix controls(const Matrix& actions) const {
    return layout.changes ? changes_of(spec, with_limited_rate(spec, actions)) : actions;
  }

  const SystemSpec& spec;
  const Layout layout;
  const Belief belief;
  PlanProblem problem;
};

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

Plan follow_with_model(const ModelPlanProblem& problem, const Matrix& actions) {
  const Lifted lifted(problem);
  Plan result = followed(lifted.problem, lifted.controls(actions));
  result.actions = with_limited_rate(problem.spec, actions);
  result.states = result.states.topRows(lifted.layout.observed).eval();
  return result;
}

Plan plan_with_model(const ModelPlanProblem& problem, const PlannerSettings& settings,
                     const std::vector<Matrix>& suggestions) {
  const SystemSpec& spec = problem.spec;
  Lifted lifted(problem);
  const Layout& layout = lifted.layout;
  if (layout.changes)
    lifted.problem.start_actions = [&](int i) {
      return lifted.controls(start_signal(spec.action_bounds, spec.horizon, settings, i));
    };
  std::vector<Matrix> starts;
  for (const Matrix& actions : suggestions) starts.push_back(lifted.controls(actions));

  Plan result = plan(lifted.problem, settings, starts);
  if (layout.plain()) return result;
  // A search may leave the bounds of what its changes add up to by a hair; a machine's plan does
  // not.
  const Matrix actions = with_limited_rate(spec, layout.actions(result.states, result.actions));
  const Plan exact = followed(lifted.problem, lifted.controls(actions), settings.shooting);
  result.actions = actions;
  result.states = exact.states.topRows(layout.observed);
  result.objective = exact.objective;
  return result;
}

}  // namespace rhc
