// Runs that lie on disk.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/arrays.h"
#include "python/bindings.h"
#include "python/model.h"
#include "python/observations.h"
#include "rhc/core/parallel.h"
#include "rhc/describe/config_file.h"
#include "rhc/run/learned_model.h"
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
  nb::class_<RunRecord>(module, "RunRecord")
      .def_prop_ro("manifest_json", [](const RunRecord& r) { return manifest_json(r.manifest); })
      .def_prop_ro("config_toml", [](const RunRecord& r) { return config_toml(r.config); })
      .def_prop_ro("metrics_jsonl", [](const RunRecord& r) { return metrics_text(r.rows); })
      .def_prop_ro("status", &RunRecord::status)
      .def_prop_ro("episodes", &episodes_of)
      .def_prop_ro("belief", &belief_of_run)
      .def_prop_ro("system", [](const RunRecord& r) { return system_of(r); })
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
