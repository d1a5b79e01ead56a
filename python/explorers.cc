// Ask and tell.
#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "python/arrays.h"
#include "python/belief.h"
#include "python/bindings.h"
#include "python/model.h"
#include "python/observations.h"
#include "python/planning.h"
#include "python/signals.h"
#include "python/task_arguments.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/core/stopwatch.h"
#include "rhc/describe/config_file.h"
#include "rhc/describe/settings.h"
#include "rhc/explore/campaign.h"
#include "rhc/explore/trouble.h"

namespace rhc::python {

namespace {

using Settings = std::map<std::string, std::string>;

Config resolve(const System& system, const std::string& preset_name, const std::string& method,
               std::uint64_t seed, const Settings& settings) {
  Config config = preset(preset_name, system.spec());
  config.system = system.spec().name;
  config.method = method_name(method);
  config.seed = seed;
  for (const auto& [key, value] : settings) {
    if (key == "system") throw InputError("name the system as the first argument");
    assign(config, key, value);
  }
  config.model.features = features_for(config, system.spec());
  return config;
}

// Nats that an experiment was expected to tell, and that it told; nothing where nothing was known.
struct Told {
  std::optional<double> planned, gained;
  Index left_out;  // steps that are not learned from
  std::vector<std::string> remarks;
};

// What a person should know of an experiment.
std::vector<std::string> remarks_of(const MetricsRow& row, const Campaign& campaign) {
  std::vector<std::string> remarks = campaign.remarks();
  if (row.left_out > 0)
    remarks.push_back(
        fmt::format("it left the limits: {} of {} steps, the one that led outside and those after "
                    "it, are not learned from",
                    row.left_out, row.steps));
  return remarks;
}

// One thread at a time: others wait without holding Python up.
class Explorer {
  // Calls work() with Python released.
  template <class Work>
  auto alone(const Work& work) {
    const nb::gil_scoped_release others;
    const std::lock_guard one(busy_);
    struct Count {
      double& total;
      Stopwatch watch{};
      ~Count() { total += watch.seconds(); }
    } count{seconds_};
    return work();
  }

  // The same; what a signal raised in Python is thrown on.
  template <class Work>
  auto interruptibly(const Work& work) {
    try {
      return alone(work);
    } catch (const Interrupted&) {
      throw nb::python_error();
    }
  }

 public:
  Explorer(const System& system, const std::string& method, std::uint64_t seed, int threads,
           const std::string& preset_name, const Settings& settings)
      : threads_(threads > 0 ? threads : hardware_threads()),
        campaign_(resolve(system, preset_name, method, seed, settings), system, threads_) {}

  Proposal ask(const std::optional<ArrayLike>& start, const std::optional<ArrayLike>& done) {
    const ProposalSettings wanted{.before = before_of(system(), start, done),
                                  .stop_requested = signal_heard()};
    return interruptibly([&] {
      step_ = 0;
      return *(asked_ = campaign_.ask(wanted));
    });
  }

  Row act(const ArrayLike& observation) {
    const Vector seen = observation_of(system(), observation, "observation");
    return give(interruptibly([&]() -> Vector {
      if (!asked_) throw InputError("nothing was asked for: `ask` comes before `act`");
      if (step_ >= asked_->actions.cols())
        throw InputError(fmt::format("experiment {} has {} steps, and all were carried out",
                                     asked_->episode, asked_->actions.cols()));
      const Vector action = campaign_.act(*asked_, seen, step_);
      ++step_;
      return action;
    }));
  }

  Told tell(const ArrayLike& observations, const ArrayLike& actions, bool ended) {
    Trajectory trajectory = trajectory_of(system(), observations, actions);
    trajectory.ended = ended;
    const std::function<bool()> stop_requested = signal_heard();
    return interruptibly([&]() -> Told {
      const MetricsRow row = campaign_.tell(trajectory, stop_requested);
      asked_.reset();
      return {row.information_planned, row.information_gained, row.left_out,
              remarks_of(row, campaign_)};
    });
  }

  // With what was decided without being asked for.
  std::pair<Plan, std::vector<std::string>> solve(int starts, int hops, int draws,
                                                  const std::optional<ArrayLike>& start,
                                                  const std::optional<ArrayLike>& done,
                                                  const TaskArguments& task) {
    const Config& config = campaign_.config();
    PlannerSettings settings = task_planner_settings(config, threads_);
    if (starts > 0) settings.starts = starts;
    if (hops >= 0) settings.hops = hops;
    SystemSpec spec = system().spec();
    const Trajectory before = before_of(system(), start, done);
    ChangedTask changed = changed_task(spec, task_change_of(system(), task));
    spec.task = std::move(changed.task);
    return interruptibly([&] {
      if (!campaign_.model())
        throw InputError("nothing was told yet: there is no belief to plan with");
      if (config.plan.stay_inside)
        spec.limits = narrowed_for_task(spec, campaign_.limits(), before.observations.rightCols(1));
      return std::pair{plan_with_signals(campaign_.learner().task_model(), spec, before,
                                         {.objective = "task",
                                          .stay_inside = config.plan.stay_inside,
                                          .draws = draws >= 0 ? draws : config.judge.task_draws},
                                         settings),
                       changed.remarks};
    });
  }

  // All that a controller goes by.
  Belief whole_belief() {
    return alone([&]() -> Belief {
      if (!campaign_.model())
        throw InputError("nothing was told yet: there is no belief to control with");
      const Config::Plan& plan = campaign_.config().plan;
      return {.model = campaign_.learner().task_model(),
              .system = campaign_.system(),
              .stay_inside = plan.stay_inside,
              .learned = plan.stay_inside ? std::optional(campaign_.limits()) : std::nullopt};
    });
  }

  std::optional<Model> belief() {
    return alone([&]() -> std::optional<Model> {
      if (!campaign_.model()) return std::nullopt;
      return Model{campaign_.model()->regression};
    });
  }

  const System& system() const { return campaign_.system(); }
  const Config& config() const { return campaign_.config(); }
  int told() {
    return alone([&] { return campaign_.told(); });
  }
  Box learned_limits() {
    return alone([&] {
      const LearnedLimits& learned = campaign_.limits();
      return learned.any() ? learned.limits : Box::unbounded(system().spec().outputs());
    });
  }
  double seconds() {
    return alone([&] { return seconds_; });
  }

 private:
  const int threads_;
  std::mutex busy_;
  double seconds_ = 0;
  Campaign campaign_;
  std::optional<Proposal> asked_;  // that `act` carries out
  int step_ = 0;                   // of it, that comes next
};

// A view of the forecast, or None where there is none.
nb::object forecast_part(nb::handle self, Matrix Forecast::*part) {
  const auto& proposal = nb::cast<const Proposal&>(self);
  if (!proposal.forecast) return nb::none();
  return nb::cast(view((*proposal.forecast).*part, self));
}

void bind_proposals(nb::module_& module) {
  nb::class_<Proposal>(module, "Proposal", "An experiment to carry out.")
      .def_ro("experiment", &Proposal::episode, "Its number, from 1.")
      .def_prop_ro(
          "start",
          [](nb::handle self) { return view(nb::cast<const Proposal&>(self).start, self); },
          "(D,): the observation that it begins with")
      .def_prop_ro(
          "actions",
          [](nb::handle self) { return view(nb::cast<const Proposal&>(self).actions, self); },
          "(T, k)")
      .def_prop_ro(
          "mean", [](nb::handle self) { return forecast_part(self, &Forecast::mean); },
          "(T + 1, D): what will be seen; None while nothing is known",
          nb::sig("def mean(self) -> numpy.ndarray | None"))
      .def_prop_ro(
          "deviation", [](nb::handle self) { return forecast_part(self, &Forecast::deviation); },
          "(T + 1, D): the standard deviation of that",
          nb::sig("def deviation(self) -> numpy.ndarray | None"))
      .def_ro("information", &Proposal::information, "Nats that it is expected to tell, or None.")
      .def_ro("status", &Proposal::status, "Of the plan; empty where none was made.")
      .def("__repr__", [](const Proposal& p) {
        return fmt::format("<rhc.Proposal {} of {} steps>", p.episode, p.actions.cols());
      });
}

}  // namespace

void bind_explorers(nb::module_& module) {
  bind_proposals(module);
  nb::class_<Told>(module, "Told", "What an experiment was expected to tell, and what it told.")
      .def_ro("planned", &Told::planned, "Nats, or None where nothing was known.")
      .def_ro("gained", &Told::gained, "Nats, or None where nothing was known.")
      .def_ro("left_out", &Told::left_out,
              "Steps that are not learned from: the one that led outside the limits, and those "
              "after it.")
      .def_ro("remarks", &Told::remarks, "What a person should know of it, in words.")
      .def("__repr__", [](const Told& told) {
        const auto nats = [](const std::optional<double>& n) {
          return n ? fmt::format("{:.3g}", *n) : "None";
        };
        return fmt::format("<rhc.Told planned={} gained={}>", nats(told.planned),
                           nats(told.gained));
      });
  nb::class_<Explorer>(module, "Explorer")
      .def(nb::init<const System&, const std::string&, std::uint64_t, int, const std::string&,
                    const Settings&>(),
           nb::arg("system"), nb::arg("method"), nb::arg("seed"), nb::arg("threads"),
           nb::arg("preset"), nb::arg("settings"))
      .def("ask", &Explorer::ask, nb::arg("start") = nb::none(), nb::arg("done") = nb::none(),
           "The next experiment, from where the description says or from this observation. Asked "
           "twice, it is the same until something was told.")
      .def(
          "plan_trouble",
          [](const Explorer& e, const Proposal& p) {
            return plan_trouble(p.status, p.actions, e.system().spec());
          },
          nb::arg("proposal"),
          "Why its plan is none to speak of: no other was found inside the limits. Empty where it "
          "is one.")
      .def("act", &Explorer::act, nb::arg("observation"),
           "The next action of the experiment that was asked for, (k,), by what is observed before "
           "it. With the setting `replan` the rest is planned anew on the way.")
      .def("tell", &Explorer::tell, nb::arg("observations"), nb::arg("actions"),
           nb::arg("ended") = false,
           "What was observed, (T + 1, D), and done, (T, k); and whether the system itself ended "
           "it early.")
      .def(
          "solve",
          [](Explorer& e, int starts, int hops, int draws, const std::optional<ArrayLike>& start,
             const std::optional<ArrayLike>& done, const nb::object& target,
             const nb::object& weight, const nb::object& final_weight,
             const nb::object& action_weight, const nb::object& reference) {
            return e.solve(starts, hops, draws, start, done,
                           {target, weight, final_weight, action_weight, reference});
          },
          nb::arg("starts"), nb::arg("hops"), nb::arg("draws"), nb::arg("start"), nb::arg("done"),
          nb::arg("target").none(), nb::arg("weight").none(), nb::arg("final_weight").none(),
          nb::arg("action_weight").none(), nb::arg("reference").none(),
          "The system's task, planned for `draws` systems that what was learned leaves possible "
          "(0: for its mean; default: the setting task_draws), and remarks. InputError before any "
          "data.")
      .def_prop_ro("whole_belief", &Explorer::whole_belief)
      .def_prop_ro("belief", &Explorer::belief,
                   "A copy of what is believed now; None before any data.")
      .def_prop_ro("system", &Explorer::system)
      .def_prop_ro("told", &Explorer::told, "Experiments that were told.")
      .def_prop_ro(
          "learned_limits", [](Explorer& e) { return pair_of(e.learned_limits()); },
          "(lower, upper) of the observations, infinite where none is known: beyond them the "
          "system "
          "itself ended experiments, and none went on.")
      .def_prop_ro("seconds", &Explorer::seconds, "Spent on planning and learning.")
      .def_prop_ro(
          "config_toml", [](const Explorer& e) { return config_toml(e.config()); },
          "Every setting in force, as a run keeps them.");
}

}  // namespace rhc::python
