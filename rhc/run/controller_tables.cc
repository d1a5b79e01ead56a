#include "rhc/run/controller_tables.h"

#include <fmt/format.h>

#include <utility>

#include "rhc/core/error.h"
#include "rhc/plan/control_model.h"

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
  ControllerMotion motion = motion_of(model);
  Controller controller(model, spec,
                        {.horizon = solution.plan.actions.cols(),
                         .stay_inside = solution.stay_inside,
                         .remove_offset = false});
  controller.start(solution.before, solution.plan.actions);
  ControllerTables tables{.plan = controller.tables(),
                          .motion = std::move(motion),
                          .sensor_variance = model.sensor_noise().cwiseAbs2(),
                          .spread = {},
                          .still_before = solution.before.steps() == 0};
  const ControlTables& plan = tables.plan;
  if (!plan.states.allFinite() || !plan.gains.allFinite())
    throw LearningError(
        "the feedback gains around this plan are not finite; plan from another start (--start) or "
        "for fewer steps (--horizon)");

  const ControlByModel along(model, spec, solution.stay_inside);
  const Index T = plan.controls.cols(), D = plan.layout.observed;
  tables.spread.resize(D, T + 1);
  for (Index t = 0; t < T; ++t)
    tables.spread.col(t) = along.step_variance(plan.states.col(t), plan.controls.col(t)).head(D);
  const bool held = plan.held_gain.size() > 0;
  tables.spread.col(T) =
      held ? Vector(along.step_variance(plan.held_state, plan.held_control).head(D))
           : Vector(tables.spread.col(T - 1));
  return tables;
}

}  // namespace rhc
