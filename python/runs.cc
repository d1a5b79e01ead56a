// Runs that lie on disk.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/arrays.h"
#include "python/belief.h"
#include "python/bindings.h"
#include "python/model.h"
#include "python/observations.h"
#include "python/signals.h"
#include "python/task_arguments.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/describe/config_file.h"
#include "rhc/run/c_export.h"
#include "rhc/run/learned_model.h"
#include "rhc/run/solve_run.h"
#include "rhc/run/validate_run.h"
#include "rhc/store/run_record.h"

namespace rhc::python {

namespace {

// Observations and actions of each episode, and whether the plant ended it; None for one that is
// missing or damaged.
nb::list episodes_of(const RunRecord& run) {
  nb::list episodes;
  for (const std::optional<Trajectory>& episode : run.episodes)
    if (episode)
      episodes.append(
          nb::make_tuple(give(episode->observations), give(episode->actions), episode->ended));
    else
      episodes.append(nb::none());
  return episodes;
}

std::optional<Model> belief_of_run(const RunRecord& run) {
  const std::optional<DynamicsModel> model = learned_model(run);
  if (!model) return std::nullopt;
  return Model{model->regression};
}

ValidationLog log_of_arrays(const RunRecord& run, const std::string& name,
                            const ArrayLike& observations, const ArrayLike& actions) {
  return validation_log(run, name, trajectory_of(system_of(run), observations, actions));
}

ValidationRecord validate_logs(const RunRecord& run, const std::vector<ValidationLog>& logs,
                               int steps, int every, int threads) {
  const nb::gil_scoped_release others;
  return validate_run(
      run, logs,
      {.steps = steps, .every = every, .threads = threads > 0 ? threads : hardware_threads()});
}

// A view of one of its tables.
auto table_of(Matrix Validation::*part) {
  return [part](nb::handle self) {
    return view(nb::cast<const ValidationRecord&>(self).validation.*part, self);
  };
}

Belief whole_belief(const RunRecord& run) {
  const std::optional<DynamicsModel> model = task_model(run);
  if (!model) throw InputError("'" + run.path.string() + "' has learned nothing yet");
  const Config::Plan& plan = run.config.plan;
  return {.model = *model,
          .system = system_of(run),
          .stay_inside = plan.stay_inside,
          .learned = plan.stay_inside && plan.learn_limits
                         ? std::optional(learned_limits(ends_seen(run)))
                         : std::nullopt};
}

Solution solve(const RunRecord& run, const std::optional<ArrayLike>& start,
               const std::optional<ArrayLike>& done, const nb::object& target,
               const nb::object& weight, const nb::object& final_weight,
               const nb::object& action_weight, const nb::object& reference, int horizon,
               int starts, int hops, int draws, std::optional<double> sigmas, int threads) {
  const System system = system_of(run);
  SolveSettings settings{
      .task = task_change_of(system, {target, weight, final_weight, action_weight, reference}),
      .before = before_of(system, start, done),
      .horizon = horizon,
      .starts = starts,
      .hops = hops,
      .draws = draws,
      .sigmas = sigmas,
      .threads = threads > 0 ? threads : hardware_threads(),
      .stop_requested = signal_heard()};
  try {
    const nb::gil_scoped_release others;
    return solve_run(run, settings);
  } catch (const Interrupted&) {
    throw nb::python_error();
  }
}

void bind_solutions(nb::module_& module) {
  nb::class_<Solution>(module, "Solution",
                       "A plan of a task, with all that is needed to put it on a machine.")
      .def_prop_ro(
          "actions",
          [](nb::handle self) { return view(nb::cast<const Solution&>(self).plan.actions, self); },
          "(T, k), inside their bounds")
      .def_prop_ro(
          "states",
          [](nb::handle self) { return view(nb::cast<const Solution&>(self).plan.states, self); },
          "(T + 1, D): the observations that are expected")
      .def_prop_ro(
          "deviation",
          [](nb::handle self) {
            return view(nb::cast<const Solution&>(self).forecast.deviation, self);
          },
          "(T + 1, D): their standard deviation, without feedback")
      .def_prop_ro(
          "gains",
          [](const Solution& s) {
            const Index nx = static_cast<Index>(s.corrected_by.size()), k = s.gains.rows();
            Matrix rows(nx, k * s.plan.actions.cols());
            for (Index t = 0; t < s.plan.actions.cols(); ++t)
              rows.middleCols(t * k, k) = s.gains.middleCols(t * nx, nx).transpose();
            return nb::object(
                nb::cast(give(std::move(rows))).attr("reshape")(s.plan.actions.cols(), k, nx));
          },
          "(T, k, columns): feedback, a = actions + gains (x - states)",
          nb::sig("def gains(self) -> numpy.ndarray"))
      .def_ro("corrected_by", &Solution::corrected_by, "What the columns of the gains are of.")
      .def_prop_ro(
          "objective", [](const Solution& s) { return s.plan.objective; }, "The expected cost.")
      .def_prop_ro(
          "status", [](const Solution& s) { return std::string(name(s.plan.status)); },
          "converged, stopped, shrunk, infeasible or failed")
      .def_ro("remarks", &Solution::remarks, "What a person should know of it.")
      .def("__repr__", [](const Solution& s) {
        return "<rhc.Solution of " + std::to_string(s.plan.actions.cols()) + " steps, " +
               std::string(name(s.plan.status)) + ">";
      });
}

void bind_validations(nb::module_& module) {
  nb::class_<ValidationLog>(module, "ValidationLog")
      .def_ro("name", &ValidationLog::name)
      .def_ro("remarks", &ValidationLog::remarks);
  nb::class_<ValidationRecord>(
      module, "Validation",
      "Free-running forecasts of a model against logs; row s - 1 is of s steps ahead.")
      .def_prop_ro("steps", [](const ValidationRecord& r) { return r.validation.steps(); })
      .def_prop_ro(
          "points", [](const ValidationRecord& r) { return r.validation.points; },
          "Forecasts that were made.")
      .def_ro("observations", &ValidationRecord::observations, "Names of the columns.")
      .def_ro("transitions", &ValidationRecord::transitions, "That the model had learned from.")
      .def_prop_ro("rmse", table_of(&Validation::rmse), "(steps, D): error of the mean")
      .def_prop_ro("nothing_moves", table_of(&Validation::nothing_moves),
                   "(steps, D): error of a forecast that nothing changes")
      .def_prop_ro("coverage", table_of(&Validation::coverage),
                   "(steps, D): share inside the announced 95 % band")
      .def("__repr__", [](const ValidationRecord& r) {
        return "<rhc.Validation of " + std::to_string(r.validation.points) + " forecasts of " +
               std::to_string(r.validation.steps()) + " steps>";
      });
}

}  // namespace

void bind_runs(nb::module_& module) {
  bind_validations(module);
  bind_solutions(module);
  nb::class_<RunRecord>(module, "RunRecord")
      .def_prop_ro("manifest_json", [](const RunRecord& r) { return manifest_json(r.manifest); })
      .def_prop_ro("config_toml", [](const RunRecord& r) { return config_toml(r.config); })
      .def_prop_ro("metrics_jsonl", [](const RunRecord& r) { return metrics_text(r.rows); })
      .def_prop_ro("status", &RunRecord::status)
      .def_prop_ro("episodes", &episodes_of)
      .def_prop_ro("belief", &belief_of_run)
      .def_prop_ro("whole_belief", &whole_belief)
      .def_prop_ro("system", [](const RunRecord& r) { return system_of(r); })
      .def("solve", &solve, nb::arg("start"), nb::arg("done"), nb::arg("target").none(),
           nb::arg("weight").none(), nb::arg("final_weight").none(),
           nb::arg("action_weight").none(), nb::arg("reference").none(), nb::arg("horizon"),
           nb::arg("starts"), nb::arg("hops"), nb::arg("draws"), nb::arg("sigmas"),
           nb::arg("threads"))
      .def(
          "c_code",
          [](const RunRecord& r, const Solution& s) { return c_controller(s, origin_of(r, s)); },
          nb::arg("solution"))
      .def(
          "read_log",
          [](const RunRecord& r, const std::filesystem::path& file, bool resample, double delay) {
            const nb::gil_scoped_release others;
            return read_validation_log(r, file, {.resample = resample, .delay = delay});
          },
          nb::arg("file"), nb::arg("resample"), nb::arg("delay"))
      .def("log_of", &log_of_arrays, nb::arg("name"), nb::arg("observations"), nb::arg("actions"))
      .def("validate", &validate_logs, nb::arg("logs"), nb::arg("steps"), nb::arg("every"),
           nb::arg("threads"))
      .def_ro("damaged", &RunRecord::damaged)
      .def_ro("recovered", &RunRecord::recovered);
  module.def(
      "read_run",
      [](const std::filesystem::path& path) {
        const nb::gil_scoped_release others;
        return read_run(path);
      },
      nb::arg("path"), "InputError where there is no run, or one that cannot be understood.");
}

}  // namespace rhc::python
