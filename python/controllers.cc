// Controllers that run a machine in real time.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <mutex>

#include "python/arrays.h"
#include "python/belief.h"
#include "python/bindings.h"
#include "python/model.h"
#include "python/observations.h"
#include "python/task_arguments.h"
#include "rhc/control/controller.h"
#include "rhc/core/error.h"

namespace rhc::python {

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Belief belief_of(const Model& model, const System& system, bool stay_inside) {
  return {.model = DynamicsModel(model.regression, shape_of(system.spec(), stay_inside)),
          .system = system,
          .stay_inside = stay_inside};
}

// One thread at a time: others wait without holding Python up. What C++ makes before the first
// observation is known is the task alone.
class PyController {
  template <class Work>
  auto alone(const Work& work) {
    const nb::gil_scoped_release others;
    const std::lock_guard one(busy_);
    return work();
  }

 public:
  PyController(const Belief& belief, int horizon, bool learn, bool remove_offset, int iterations,
               int starts, std::uint64_t seed)
      : model_(belief.model),
        system_(belief.system),
        spec_(belief.system.spec()),
        learned_(belief.learned) {
    if (iterations < 1 || starts < 1 || horizon < 0)
      throw InputError("horizon, iterations and starts must be at least 1");
    settings_.horizon = horizon;
    settings_.stay_inside = belief.stay_inside;
    settings_.learn = learn;
    settings_.remove_offset = remove_offset;
    settings_.iterations = iterations;
    settings_.starts = starts;
    settings_.seed = seed;
  }

  // Before or while it runs. What was decided without being asked for.
  std::vector<std::string> aim(const nb::object& target, const nb::object& weight,
                               const nb::object& final_weight, const nb::object& action_weight,
                               const nb::object& reference) {
    const TaskChange change =
        task_change_of(system_, {target, weight, final_weight, action_weight, reference});
    return alone([&] {
      // A reference that is followed goes on from where it is.
      const Index now = controller_ ? controller_->last().step + 1 : 0;
      spec_.task = spec_.task.from(now - aimed_at_);
      aimed_at_ = now;
      ChangedTask changed = changed_task(spec_, change);
      if (controller_) controller_->aim(changed.task);
      spec_.task = changed.task;
      return changed.remarks;
    });
  }

  void start(const std::optional<ArrayLike>& observation, const std::optional<ArrayLike>& done) {
    const Trajectory before = before_of(system_, observation, done);
    alone([&] { begin(before); });
  }

  Row act(const std::optional<ArrayLike>& observation) {
    const std::optional<Vector> measured = measured_of(observation);
    return give(alone([&] { return acted(measured); }));
  }

  void prepare(std::optional<double> seconds, std::optional<int> iterations) {
    if (seconds && !(*seconds >= 0)) throw InputError("seconds must not be negative");
    if (iterations && *iterations < 0) throw InputError("iterations must not be negative");
    alone([&] { plan(seconds, iterations); });
  }

  Row step(const std::optional<ArrayLike>& observation) {
    const std::optional<Vector> measured = measured_of(observation);
    return give(alone([&] {
      const Vector action = acted(measured);
      plan(std::nullopt, std::nullopt);
      return action;
    }));
  }

  void carried_out(const ArrayLike& action) {
    const Vector done = vector_of(action, "action", spec_.action_bounds.size());
    alone([&] { running().carried_out(done); });
  }

  Row rest() {
    return give(alone([&] { return Vector(running().towards_rest()); }));
  }

  ControlStep last() {
    return alone([&] { return running().last(); });
  }

  std::pair<Table, Table> planned() {
    auto [observations, actions] = alone([&] {
      return std::pair{Matrix(running().planned_observations()),
                       Matrix(running().planned_actions())};
    });
    return {give(std::move(observations)), give(std::move(actions))};
  }

  Model belief() {
    return alone(
        [&] { return Model{controller_ ? controller_->model().regression : model_.regression}; });
  }

  const System& system() const { return system_; }

 private:
  // NaN stands for what was not measured as well as None.
  std::optional<Vector> measured_of(const std::optional<ArrayLike>& observation) const {
    if (!observation) return std::nullopt;
    const Vector values = vector_of(*observation, "observation");
    if (!values.allFinite()) return std::nullopt;
    return observation_of(system_, *observation, "observation");
  }

  void begin(const Trajectory& before) {
    if (!spec_.task.weighs())
      throw InputError("'" + spec_.name + "' has no task; say what to aim at with target={...}");
    const Vector now = before.observations.rightCols(1);
    SystemSpec spec = spec_;
    if (learned_) spec.limits = narrowed_for_task(spec, *learned_, now);
    aimed_at_ = 0;
    controller_.emplace(model_, spec, settings_);
    controller_->start(before);
  }

  Vector acted(const std::optional<Vector>& measured) {
    if (!controller_) {
      if (!measured) throw InputError("the first observation must say where the system is");
      begin(standing_at(*measured, spec_.action_bounds.size()));
    }
    return controller_->act(measured ? &*measured : nullptr);
  }

  void plan(std::optional<double> seconds, std::optional<int> iterations) {
    Deadline deadline = seconds ? Deadline::in(clock_, *seconds) : Deadline{};
    if (iterations) deadline.iterations = *iterations;
    running().prepare(deadline);
  }

  Controller& running() {
    if (!controller_) throw InputError("nothing runs yet: `start`, `act` or `step` comes first");
    return *controller_;
  }

  const DynamicsModel model_;
  const System system_;
  SystemSpec spec_;
  const std::optional<LearnedLimits> learned_;
  ControlSettings settings_;
  const Clock clock_ = seconds_now;
  std::mutex busy_;
  std::optional<Controller> controller_;
  Index aimed_at_ = 0;  // the step at which the task's reference begins
};

auto vector_in(Vector ControlStep::*part) {
  return [part](const ControlStep& step) { return give(step.*part); };
}

void bind_control_steps(nb::module_& module) {
  const auto text = [](auto part) {
    return [part](const ControlStep& step) { return std::string(name(step.*part)); };
  };
  nb::class_<ControlStep>(module, "ControlStep", "What a controller did in one period, and why.")
      .def_ro("step", &ControlStep::step, "Counted from 0.")
      .def_prop_ro("action", vector_in(&ControlStep::action), nb::rv_policy::automatic)
      .def_prop_ro("source", text(&ControlStep::source),
                   "Of the action: plan, last plan, regulator or rest.")
      .def_prop_ro("fall", text(&ControlStep::fall), "Why it is not from a fresh plan.")
      .def_ro("plan_age", &ControlStep::plan_age, "Steps since the plan began.")
      .def_prop_ro("measured", text(&ControlStep::measured),
                   "What became of the measurement: taken, lost, absurd or believed.")
      .def_prop_ro("measurement", vector_in(&ControlStep::measurement), nb::rv_policy::automatic)
      .def_prop_ro("expected", vector_in(&ControlStep::expected), nb::rv_policy::automatic,
                   "Before the measurement.")
      .def_prop_ro("expected_deviation", vector_in(&ControlStep::expected_deviation),
                   nb::rv_policy::automatic)
      .def_prop_ro("estimate", vector_in(&ControlStep::estimate), nb::rv_policy::automatic,
                   "After it.")
      .def_prop_ro("deviation", vector_in(&ControlStep::deviation), nb::rv_policy::automatic)
      .def_prop_ro("disturbance", vector_in(&ControlStep::disturbance), nb::rv_policy::automatic,
                   "That is added to each predicted change, as it is estimated.")
      .def_prop_ro("target", vector_in(&ControlStep::target), nb::rv_policy::automatic,
                   "Of the task, at this step.")
      .def_ro("lost", &ControlStep::lost, "Measurements that never came.")
      .def_ro("rejected", &ControlStep::rejected, "Measurements that were absurd.")
      .def_ro("iterations", &ControlStep::iterations, "Of the search for the next plan.")
      .def_ro("planned", &ControlStep::planned, "Whether that was made in time.")
      .def_ro("inside_limits", &ControlStep::inside_limits, "As far as the plan knows.")
      .def_ro("learned", &ControlStep::learned, "From the transition that ended with this step.")
      .def_ro("plan_cost", &ControlStep::plan_cost, "Of the task over the plan.")
      .def("__repr__", [](const ControlStep& step) {
        return "<rhc.ControlStep " + std::to_string(step.step) + " by " +
               std::string(name(step.source)) + ">";
      });
}

}  // namespace

void bind_controllers(nb::module_& module) {
  bind_control_steps(module);
  nb::class_<Belief>(module, "Belief");
  module.def("belief_of", &belief_of, nb::arg("model"), nb::arg("system"), nb::arg("stay_inside"));
  nb::class_<PyController>(module, "Controller")
      .def(nb::init<const Belief&, int, bool, bool, int, int, std::uint64_t>(), nb::arg("belief"),
           nb::arg("horizon"), nb::arg("learn"), nb::arg("remove_offset"), nb::arg("iterations"),
           nb::arg("starts"), nb::arg("seed"))
      .def("start", &PyController::start, nb::arg("observation"), nb::arg("done"))
      .def("aim", &PyController::aim, nb::arg("target").none(), nb::arg("weight").none(),
           nb::arg("final_weight").none(), nb::arg("action_weight").none(),
           nb::arg("reference").none())
      .def("act", &PyController::act, nb::arg("observation").none(),
           "The action of this period, (k,), by what is observed at its beginning; None, or NaN in "
           "it: nothing was. Microseconds, but for the first call, which searches a plan.")
      .def("prepare", &PyController::prepare, nb::arg("seconds") = nb::none(),
           nb::arg("iterations") = nb::none(),
           "The rest of the period: learns, and plans the next one, for so long or for so many "
           "iterations. Other threads of Python go on.")
      .def("step", &PyController::step, nb::arg("observation").none(),
           "Both: the action, after the next period was planned as well as the settings ask for.")
      .def("carried_out", &PyController::carried_out, nb::arg("action"),
           "The machine did something else than `act` gave. Before `prepare`.")
      .def("rest", &PyController::rest,
           "The action towards rest, no faster than actions may change: for who stops.")
      .def_prop_ro("last", &PyController::last, "What was done in the last period, and why.")
      .def_prop_ro("planned", &PyController::planned, nb::rv_policy::automatic,
                   "Observations, (T + 1, D), and actions, (T, k), of the present plan.")
      .def_prop_ro("belief", &PyController::belief,
                   "The model as it is now, with what was learned on the way.")
      .def_prop_ro("system", &PyController::system);
}

}  // namespace rhc::python
