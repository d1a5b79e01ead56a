#include "rhc/explore/experiment.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/core/stopwatch.h"
#include "rhc/evaluate/forecast.h"
#include "rhc/evaluate/information.h"
#include "rhc/explore/explorer.h"
#include "rhc/explore/judge.h"

namespace rhc {

namespace {

// The first observations and the action between them. Where the plant fails before it was measured
// after that action, nothing was seen: it is done again, until the plant gives up for good.
Trajectory begin_on(Plant& plant, Explorer& explorer, const SystemSpec& spec,
                    const std::function<void(const std::string&)>& remark) {
  Vector action;
  for (;;) {
    try {
      const Vector before = plant.reset(spec.start);
      // Decided once: what a method remembers must not depend on how often this fails.
      if (action.size() == 0) action = spec.action_bounds.clip(explorer.act(before, 0));
      const Vector after = plant.step(action);
      Trajectory trajectory{Matrix(spec.outputs(), spec.horizon + 1),
                            Matrix(action.size(), spec.horizon)};
      trajectory.observations.leftCols(2) << before, after;
      trajectory.actions.col(0) = action;
      return trajectory;
    } catch (const PlantFailure& failure) {
      remark(fmt::format("did not begin, and is done again: {}", failure.what()));
    }
  }
}

// Acts until the horizon, until the system is seen outside its limits, or until the plant fails.
Trajectory run_episode(Explorer& explorer, Plant& plant, const SystemSpec& spec, int episode,
                       const std::function<void(const std::string&)>& on_remark) {
  const auto remark = [&](const std::string& what) {
    if (on_remark) on_remark(fmt::format("episode {} {}", episode, what));
  };
  const auto check_finite = [&](const Vector& observation, int step) {
    if (!observation.allFinite())
      throw InputError(fmt::format(
          "system '{}' returned an observation that is not finite in episode {}, step {}",
          spec.name, episode, step));
  };
  Trajectory trajectory = begin_on(plant, explorer, spec, remark);
  int steps = 1;
  Vector observation = trajectory.observations.col(steps);
  check_finite(observation, steps);
  try {
    while (steps < spec.horizon && spec.limits.contains(observation)) {
      const Vector action = spec.action_bounds.clip(explorer.act(observation, steps));
      observation = plant.step(action);
      check_finite(observation, steps + 1);
      trajectory.actions.col(steps) = action;
      trajectory.observations.col(++steps) = observation;
    }
  } catch (const PlantFailure& failure) {
    remark(fmt::format("ended after {} of {} steps: {}", steps, spec.horizon, failure.what()));
  }
  trajectory.observations.conservativeResize(Eigen::NoChange, steps + 1);
  trajectory.actions.conservativeResize(Eigen::NoChange, steps);
  return trajectory;
}

// An episode that an earlier process carried out is not carried out again.
Trajectory repeat_episode(Explorer& explorer, const Trajectory& recorded) {
  for (Index t = 0; t < recorded.steps(); ++t)
    explorer.act(recorded.observations.col(t), static_cast<int>(t));
  return recorded;
}

// Everything that changes from episode to episode.
struct State {
  std::unique_ptr<Explorer> explorer;
  Learner learner;
  Judge judge;

  Archive archive() const {
    Archive archive;
    explorer->save(archive);
    learner.save(archive);
    judge.save(archive);
    return archive;
  }

  // Goes back to where an earlier process stopped; the number of episodes it had learned from.
  int restore(const RunRecord& past) {
    if (!past.checkpoint) return 0;
    const auto done = static_cast<std::size_t>(past.checkpoint->count("episode"));
    std::vector<Transitions> batches;
    for (std::size_t i = 0; i < done; ++i)
      batches.push_back(
          transitions_of(past.episodes[i].value(), past.spec.limits, past.spec.history));
    explorer->restore(*past.checkpoint);
    learner.restore(*past.checkpoint, std::move(batches));
    judge.restore(*past.checkpoint);
    return static_cast<int>(done);
  }
};

std::optional<double> known_limit(const RunRecord& past) {
  return past.rows.empty() ? std::nullopt : past.rows[0].task_cost_limit;
}

// The paper's Algorithm 1, with everything it leaves behind.
ExperimentResult explore(const System& system, RunDirectory& run, Yardsticks& yardsticks,
                         int threads, const ExperimentEvents& events, Plant* plant) {
  const Config& config = run.config();
  const RunRecord& past = run.past();
  const SystemSpec& spec = system.spec();
  const NoiseLevels noise = noise_levels(config, spec);
  const auto enter = [&](int episode, const char* phase) {
    if (events.on_phase) events.on_phase(episode, phase);
  };
  const auto stopped = [&] { return events.stop_requested && events.stop_requested(); };

  const std::vector<AnglePair> circles =
      config.stay_inside ? spec.angles : std::vector<AnglePair>{};

  enter(0, "preparing");
  State state{make_explorer(config, system, threads), Learner(config, system, threads),
              Judge(config, system, known_limit(past), yardsticks, threads)};
  state.explorer->stop_requested = events.stop_requested;
  const int done = state.restore(past);
  ExperimentResult result{.rows = past.rows};
  const auto interrupted = [&] {
    result.interrupted = true;
    return result;
  };
  const auto keep = [&](const MetricsRow& row) {
    run.commit(row, state.learner.record(row.episode), state.archive());
    result.rows.push_back(row);
    if (events.on_row) events.on_row(row);
  };

  std::optional<Scores> line = past.best_achievable;
  if (!line) {
    if (stopped()) return interrupted();
    line = yardsticks.best_achievable(config, system, threads);
    if (line) run.write_best_achievable(*line);
  }
  if (line && events.on_best_achievable) events.on_best_achievable(*line);
  if (result.rows.empty()) {
    MetricsRow before;
    state.judge.judge(nullptr, before);
    keep(before);
  } else if (events.on_row) {
    for (const MetricsRow& row : result.rows) events.on_row(row);
  }

  for (int episode = done + 1; episode <= config.episodes; ++episode) {
    if (stopped()) return interrupted();
    MetricsRow row{.episode = episode};
    Explorer& explorer = *state.explorer;
    const BayesianLinearModel* belief = state.learner.belief();

    // Decide what to try.
    enter(episode, "planning");
    const Stopwatch planning;
    try {
      explorer.begin_episode(episode, belief);
    } catch (const Interrupted&) {
      return interrupted();
    }
    row.plan_seconds = planning.seconds();
    const Plan* plan = explorer.plan();
    if (plan) row.plan_status = name(plan->status);
    if (belief && plan) {
      row.information_planned = planned_information(*belief, spec, *plan);
      run.write_prediction(
          episode, spec,
          forecast(*belief, circles, plan->states, plan->actions, action_at_rest(spec)));
    }

    // Try it, and keep what was seen before anything else can fail.
    enter(episode, "acting");
    const auto index = static_cast<std::size_t>(episode) - 1;
    const bool recorded = index < past.episodes.size() && past.episodes[index];
    SimulatedPlant simulated(
        system, noise, RandomStream(config.seed, "plant", static_cast<std::uint64_t>(episode)));
    Trajectory trajectory;
    try {
      trajectory = recorded ? repeat_episode(explorer, *past.episodes[index])
                            : run_episode(explorer, plant ? *plant : simulated, spec, episode,
                                          events.on_remark);
    } catch (const Interrupted&) {
      return interrupted();
    }
    if (!recorded) run.write_episode(episode, spec, trajectory);
    explorer.end_episode(trajectory);
    if (belief && !plan)
      run.write_prediction(episode, spec,
                           forecast_from(*belief, circles, trajectory.observations.col(0),
                                         trajectory.actions, action_at_rest(spec)));
    if (stopped()) return interrupted();

    // Learn from it.
    enter(episode, "learning");
    const Stopwatch fitting;
    learn_from(trajectory, spec, state.learner, row);
    row.fit_seconds = fitting.seconds();
    if (stopped()) return interrupted();

    // Judge what is believed now.
    enter(episode, "judging");
    const Stopwatch evaluating;
    state.judge.judge(state.learner.belief(), row);
    row.evaluate_seconds = evaluating.seconds();
    if (row.task_cost) run.write_task(episode, spec, *state.judge.task_solution());

    if (const BayesianLinearModel* learned = state.learner.belief()) {
      run.write_model(*learned);
      if (events.on_belief) events.on_belief(episode, *learned);
    }
    keep(row);
  }
  return result;
}

}  // namespace

double planned_information(const BayesianLinearModel& belief, const SystemSpec& spec,
                           const Plan& plan) {
  return information(belief,
                     model_inputs(plan.states, plan.actions, spec.history, action_at_rest(spec)));
}

void learn_from(const Trajectory& trajectory, const SystemSpec& spec, Learner& learner,
                MetricsRow& row) {
  const Transitions data = transitions_of(trajectory, spec.limits, spec.history);
  if (learner.belief()) row.information_gained = information(*learner.belief(), data.inputs);
  if (data.count() > 0) learner.learn(data);
  row.evidence = learner.log_evidence();
  row.steps = trajectory.steps();
  row.transitions = learner.transitions();
}

ExperimentResult run_experiment(const System& system, RunDirectory& run, int threads,
                                const ExperimentEvents& events, Plant* plant) {
  Yardsticks yardsticks;
  return run_experiment(system, run, yardsticks, threads, events, plant);
}

ExperimentResult run_experiment(const System& system, RunDirectory& run, Yardsticks& yardsticks,
                                int threads, const ExperimentEvents& events, Plant* plant) {
  try {
    ExperimentResult result = explore(system, run, yardsticks, threads, events, plant);
    run.close(result.interrupted ? "interrupted" : "finished");
    return result;
  } catch (const std::exception& error) {
    try {
      run.close(std::string("failed: ") + error.what());
    } catch (const IoError&) {
      // A full disk may refuse this too; the first reason is the one to tell.
    }
    throw;
  }
}

}  // namespace rhc
