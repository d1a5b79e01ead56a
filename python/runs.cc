// Runs that lie on disk.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/arrays.h"
#include "python/bindings.h"
#include "python/model.h"
#include "rhc/describe/config_file.h"
#include "rhc/run/learned_model.h"
#include "rhc/store/run_record.h"

namespace rhc::python {

namespace {

// Observations and actions of each episode; None for one that is missing or damaged.
nb::list episodes_of(const RunRecord& run) {
  nb::list episodes;
  for (const std::optional<Trajectory>& episode : run.episodes)
    if (episode)
      episodes.append(nb::make_tuple(give(episode->observations), give(episode->actions)));
    else
      episodes.append(nb::none());
  return episodes;
}

std::optional<Model> belief_of_run(const RunRecord& run) {
  const std::optional<DynamicsModel> model = learned_model(run);
  if (!model) return std::nullopt;
  return Model{model->regression};
}

}  // namespace

void bind_runs(nb::module_& module) {
  nb::class_<RunRecord>(module, "RunRecord")
      .def_prop_ro("manifest_json", [](const RunRecord& r) { return manifest_json(r.manifest); })
      .def_prop_ro("config_toml", [](const RunRecord& r) { return config_toml(r.config); })
      .def_prop_ro("metrics_jsonl", [](const RunRecord& r) { return metrics_text(r.rows); })
      .def_prop_ro("status", &RunRecord::status)
      .def_prop_ro("episodes", &episodes_of)
      .def_prop_ro("belief", &belief_of_run)
      .def_prop_ro("system", [](const RunRecord& r) { return system_of(r); })
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
