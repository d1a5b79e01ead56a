// Systems: what can be done with them, and what is seen.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "python/arrays.h"
#include "python/bindings.h"
#include "python/measured_system.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/system_file.h"

namespace rhc::python {

namespace {

using Pairs = std::vector<std::pair<Index, Index>>;

std::vector<Quantity> numbered(const std::string& stem, Index count) {
  std::vector<Quantity> quantities;
  for (Index i = 0; i < count; ++i) quantities.push_back({stem + std::to_string(i), ""});
  return quantities;
}

// A function in Python that takes an observation and an action, and returns the next observation.
KnownMotion known_by(const nb::object& nominal, Index observed, Index acted) {
  if (nominal.is_none()) return {};
  // Threads of ours share and drop it: only with Python's lock.
  const std::shared_ptr<nb::object> function(new nb::object(nominal), [](nb::object* object) {
    const nb::gil_scoped_acquire python;
    delete object;
  });
  return {
      .change = [function, observed](const Vector& observation, const Vector& action) -> Vector {
        const nb::gil_scoped_acquire python;
        const nb::object next = (*function)(give(observation), give(action));
        return vector_of(next, "what `nominal` returns", observed) - observation;
      },
      .acted = acted,
      .whole = true,
      .words = "nominal model in Python"};
}

System measured(const std::string& name, const ArrayLike& start, const ArrayLike& region,
                const ArrayLike& limits, const ArrayLike& action_bounds, const Pairs& angles,
                int horizon, double time_step, int history, const nb::object& nominal) {
  const Vector first = vector_of(start, "start");
  const Index D = first.size();
  const Vector lower = vector_of(action_bounds[0], "action_bounds");
  SystemSpec spec{
      .name = name,
      .title = name,
      .state = {},
      .observation = numbered("o", D),
      .action = numbered("a", lower.size()),
      .angles = {},
      .action_bounds = box_of(action_bounds, "action_bounds", lower.size()),
      .limits = box_of(limits, "limits", D),
      .time_step = time_step,
      .horizon = horizon,
      .start = {},
      .region = {},
      .task = {
          .target = first, .weight = Vector::Zero(D), .action_weight = Vector::Zero(lower.size())}};
  spec.history = history;
  spec.known = known_by(nominal, D, lower.size());
  for (const auto& [cosine, sine] : angles) spec.angles.push_back({cosine, sine});
  return MeasuredSystem(std::move(spec), first, box_of(region, "region", D));
}

Pairs angles_of(const System& system) {
  Pairs pairs;
  for (const AnglePair& pair : system.spec().angles) pairs.emplace_back(pair.cosine, pair.sine);
  return pairs;
}

Index states(const System& system) { return system.spec().start.size(); }
Index actions(const System& system) { return system.spec().action_bounds.size(); }

}  // namespace

void bind_systems(nb::module_& module) {
  module.def("system_names", &bundled_names, "Names of the bundled systems.");
  module.def("measured_system", &measured, nb::arg("name"), nb::arg("start"), nb::arg("region"),
             nb::arg("limits"), nb::arg("action_bounds"), nb::arg("angles"), nb::arg("horizon"),
             nb::arg("time_step"), nb::arg("history"), nb::arg("nominal") = nb::none(),
             "A system that is known by its observations: bounds are pairs (lower, upper). "
             "`nominal(observation, action)` returns the next observation as far as it is known.");

  nb::class_<System>(module, "System", "What can be explored: bundled, described or simulated.")
      .def_static("open", &open_system, nb::arg("name_or_file"),
                  "A bundled system by its name, or one by its TOML file.")
      .def_static(
          "parse",
          [](const std::string& toml, const std::string& name,
             const std::filesystem::path& folder) {
            return parse_system(toml, name, folder).system;
          },
          nb::arg("toml"), nb::arg("name"), nb::arg("folder"),
          "One that TOML describes; `name` is what errors call it.")
      .def_prop_ro("name", [](const System& s) { return s.spec().name; })
      .def_prop_ro("title", [](const System& s) { return s.spec().title; })
      .def_prop_ro("state_names", [](const System& s) { return names_of(s.spec().state); })
      .def_prop_ro("observation_names",
                   [](const System& s) { return names_of(s.spec().observation); })
      .def_prop_ro("action_names", [](const System& s) { return names_of(s.spec().action); })
      .def_prop_ro("angles", &angles_of, "Pairs (cosine, sine) of places in the observation.")
      .def_prop_ro(
          "action_bounds", [](const System& s) { return pair_of(s.spec().action_bounds); },
          "(lower, upper)",
          nb::sig("def action_bounds(self) -> tuple[numpy.ndarray, numpy.ndarray]"))
      .def_prop_ro(
          "limits", [](const System& s) { return pair_of(s.spec().limits); },
          "(lower, upper) of the observations, outside of which an episode ends.",
          nb::sig("def limits(self) -> tuple[numpy.ndarray, numpy.ndarray]"))
      .def_prop_ro("time_step", [](const System& s) { return s.spec().time_step; })
      .def_prop_ro("horizon", [](const System& s) { return s.spec().horizon; })
      .def_prop_ro("simulated", [](const System& s) { return s.spec().simulated; })
      .def_prop_ro(
          "start", [](const System& s) { return give(s.spec().start); }, nb::rv_policy::automatic,
          "The internal state in which episodes begin.")
      .def(
          "step",
          [](const System& s, const ArrayLike& state, const ArrayLike& action) {
            return give(s.step(vector_of(state, "state", states(s)),
                               vector_of(action, "action", actions(s))));
          },
          nb::arg("state"), nb::arg("action"),
          "The next internal state; the action is clipped to its bounds.")
      .def(
          "observe",
          [](const System& s, const ArrayLike& state) {
            return give(s.observe(vector_of(state, "state", states(s))));
          },
          nb::arg("state"), "What is seen of an internal state.")
      .def(
          "stage_cost",
          [](const System& s, const ArrayLike& observation, const ArrayLike& action) {
            return s.spec().task.stage_cost(
                vector_of(observation, "observation", s.spec().outputs()),
                vector_of(action, "action", actions(s)));
          },
          nb::arg("observation"), nb::arg("action"), "What the task takes for one step.")
      .def("__repr__", [](const System& s) { return "<rhc.System '" + s.spec().name + "'>"; });
}

}  // namespace rhc::python
