// Plans on a model, for curiosity or for a task.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/arrays.h"
#include "python/bindings.h"
#include "python/model.h"
#include "python/observations.h"
#include "python/planning.h"
#include "python/signals.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/core/text.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/plan_over_draws.h"

namespace rhc::python {

namespace {

std::vector<std::string> objective_names() {
  std::vector<std::string> names = curious_objectives();
  names.push_back("task");
  return names;
}

TimeWeights weights_of(const std::string& name) {
  if (name == "uniform") return TimeWeights::uniform;
  if (name == "last") return TimeWeights::last;
  if (name == "discount") return TimeWeights::discount;
  throw InputError(unknown_name("weights", name, {"uniform", "last", "discount"}));
}

Plan plan_on(const Model& model, const System& system, const std::optional<ArrayLike>& from,
             const std::optional<ArrayLike>& done, const std::string& objective,
             const std::string& weights, double discount, int starts, int hops, bool stay_inside,
             double limit_margin, int threads, std::uint64_t seed) {
  const SystemSpec& spec = system.spec();
  const Regression& regression = model.regression;
  if (regression.inputs() != spec.inputs() || regression.outputs() != spec.outputs())
    throw InputError("the model has " + std::to_string(regression.inputs()) + " inputs and " +
                     std::to_string(regression.outputs()) + " outputs, '" + spec.name + "' has " +
                     std::to_string(spec.inputs()) + " and " + std::to_string(spec.outputs()));
  const std::vector<std::string> names = objective_names();
  if (std::find(names.begin(), names.end(), objective) == names.end())
    throw InputError(unknown_name("objective", objective, names));
  if (starts < 1 || hops < 0) throw InputError("starts must be at least 1, hops at least 0");
  const Vector counted = time_weights(weights_of(weights), discount, spec.horizon);
  const Trajectory before = before_of(system, from, done);
  const PlanWish wish{objective, counted, stay_inside, objective == "task" ? 0 : limit_margin};
  const PlannerSettings settings{.starts = starts,
                                 .hops = hops,
                                 .threads = threads > 0 ? threads : hardware_threads(),
                                 .seed = seed};
  try {
    const nb::gil_scoped_release others;
    return plan_with_signals({regression, shape_of(spec, stay_inside)}, spec, before, wish,
                             settings);
  } catch (const Interrupted&) {
    throw nb::python_error();
  }
}

}  // namespace

Plan plan_with_signals(const DynamicsModel& model, const SystemSpec& spec, const Trajectory& before,
                       const PlanWish& wish, PlannerSettings settings) {
  const Vector start = before.observations.rightCols(1);
  settings.stop_requested = signal_heard();
  const bool task = wish.objective == "task";
  return plan_over_draws(
      {.model = model,
       .spec = spec,
       .before = before,
       .horizon = spec.horizon,
       .limits = planning_limits(spec, start, wish.stay_inside, wish.limit_margin),
       .objective =
           task ? task_objective(spec.task) : curious_objective(wish.objective, wish.weights),
       .sigmas = spec.safety.sigmas},
      task ? wish.draws : 0, settings);
}

void bind_plans(nb::module_& module) {
  nb::class_<Plan>(module, "Plan", "Actions, and what is expected of them.")
      .def_prop_ro(
          "actions",
          [](nb::handle self) { return view(nb::cast<const Plan&>(self).actions, self); },
          "(T, k), inside their bounds")
      .def_prop_ro(
          "states", [](nb::handle self) { return view(nb::cast<const Plan&>(self).states, self); },
          "(T + 1, D): the observations that the posterior mean runs through")
      .def_ro("objective", &Plan::objective, "A cost for a task, otherwise what is gained.")
      .def_ro("defect", &Plan::defect)
      .def_ro("bound_violation", &Plan::bound_violation)
      .def_ro("iterations", &Plan::iterations)
      .def_prop_ro(
          "status", [](const Plan& plan) { return std::string(name(plan.status)); },
          "converged, stopped, shrunk, infeasible or failed")
      .def("__repr__", [](const Plan& plan) {
        return "<rhc.Plan of " + std::to_string(plan.actions.cols()) + " steps, " +
               std::string(name(plan.status)) + ">";
      });
  module.def("plan_on", &plan_on, nb::arg("model"), nb::arg("system"), nb::arg("start"),
             nb::arg("done"), nb::arg("objective"), nb::arg("weights"), nb::arg("discount"),
             nb::arg("starts"), nb::arg("hops"), nb::arg("stay_inside"), nb::arg("limit_margin"),
             nb::arg("threads"), nb::arg("seed"));
}

}  // namespace rhc::python
