#include "rhc/run/controller_tables.h"

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/plan/feedback.h"
#include "rhc/plan/plan_with_model.h"

namespace rhc {

namespace {

ControllerMotion motion_of(const DynamicsModel& model) {
  const Regression& regression = model.regression;
  const FourierFeatures& first = regression.groups[0].posterior.features;
  if (!first.hidden.empty())
    throw InputError(
        "the model's features are those of a network, which this format cannot hold; a run without "
        "`network_from` has features that it can");
  if (regression.known && regression.known.derivatives.empty())
    throw InputError(fmt::format(
        "the model adds to a {}, which is a simulator of its own and not in the exported file; a "
        "run without it learns all of the motion",
        regression.known.words));
  ControllerMotion motion{.offset = Vector::Zero(model.outputs()),
                          .linear = {},
                          .sines = {},
                          .known = regression.known.derivatives,
                          .circles = model.shape.angles};
  if (first.affine() > 0) motion.linear = Matrix::Zero(model.outputs(), regression.inputs());
  for (const auto& [outputs, posterior] : regression.groups) {
    const FourierFeatures& features = posterior.features;
    const Matrix weight = posterior.weights * posterior.outputs.scale.asDiagonal();
    const Index count = features.sines(), inputs = features.inputs();
    motion.sines.push_back({.outputs = outputs,
                            .frequency = features.frequencies().topRows(count),
                            .phase = features.phase,
                            .weight = weight.topRows(count)});
    motion.offset(outputs) = posterior.outputs.mean;
    if (features.affine() == 0) continue;
    // (z - centre) / scale, and 1.
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const Vector affine = weight.col(static_cast<Index>(k)).tail(inputs + 1);
      const Vector slope = affine.head(inputs).cwiseQuotient(features.scale);
      motion.linear.row(outputs[k]) = slope;
      motion.offset[outputs[k]] += affine[inputs] - slope.dot(features.centre);
    }
  }
  return motion;
}

}  // namespace

ControllerTables controller_tables(const Solution& solution) {
  if (solution.plan.status == PlanStatus::failed)
    throw InputError("there is no plan to export: no number of it was finite");
  const DynamicsModel& model = solution.model;
  const SystemSpec& spec = solution.spec;
  const ControlByModel control(model, spec, solution.stay_inside);
  const Layout layout = layout_of(model.shape, spec.safety.rate.size() > 0);
  const Index T = solution.plan.actions.cols(), nx = layout.states();

  const PlanProblem problem =
      control.task(layout.first_state(solution.before, model.shape.action_at_rest),
                   solution.plan.actions.cols());
  const std::unique_ptr<Dynamics> dynamics = problem.dynamics();
  const std::unique_ptr<Objective> objective = problem.objective();
  Rollout rollout(nx, layout.acted, dynamics->features(), T);
  rollout.states.col(0) = problem.first_state;
  rollout.actions = layout.changes
                        ? changes_of(solution.plan.actions,
                                     last_action(solution.before, model.shape.action_at_rest))
                        : solution.plan.actions;
  follow(*dynamics, rollout);
  const auto gains = feedback_gains(*dynamics, *objective, rollout, problem.action_bounds);
  if (!gains) throw LearningError("the feedback gains around this plan are not finite");

  ControllerTables tables{.layout = layout,
                          .motion = motion_of(model),
                          .states = rollout.states,
                          .controls = rollout.actions,
                          .gains = *gains,
                          .control_bounds = problem.action_bounds,
                          .spread = Matrix(layout.observed, T + 1),
                          .hold_state = rollout.states.col(T),
                          .hold_control = control.repeated(rollout.actions.col(T - 1)),
                          .hold_gain = gains->rightCols(nx),
                          .sensor_variance = control.sensor_variance(),
                          .still_before = solution.before.steps() == 0};
  for (Index t = 0; t <= T; ++t)
    tables.spread.col(t) =
        control
            .step_variance(rollout.states.col(t),
                           t < T ? Vector(rollout.actions.col(t)) : tables.hold_control)
            .head(layout.observed);
  return tables;
}

}  // namespace rhc
