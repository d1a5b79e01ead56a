#include "rhc/explore/experiment.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "rhc/core/error.h"
#include "rhc/evaluate/best_achievable.h"
#include "rhc/evaluate/information.h"
#include "rhc/explore/explorer.h"
#include "rhc/explore/judge.h"
#include "rhc/explore/learner.h"

namespace rhc {

namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Acts until the horizon, or until the system is seen outside its limits.
Trajectory run_episode(Explorer& explorer, const System& system, const NoiseLevels& noise,
                       std::uint64_t seed, int episode) {
  const SystemSpec& spec = system.spec();
  SimulatedPlant plant(system, noise,
                       RandomStream(seed, "plant", static_cast<std::uint64_t>(episode)));
  Trajectory trajectory{Matrix(spec.outputs(), spec.horizon + 1),
                        Matrix(static_cast<Index>(spec.action.size()), spec.horizon)};
  Vector observation = plant.reset(spec.start);
  trajectory.observations.col(0) = observation;
  int steps = 0;
  while (steps < spec.horizon && (steps == 0 || spec.limits.contains(observation))) {
    const Vector action = spec.action_bounds.clip(explorer.act(observation, steps));
    observation = plant.step(action);
    if (!observation.allFinite())
      throw InputError(fmt::format(
          "system '{}' returned an observation that is not finite in episode {}, step {}",
          spec.name, episode, steps + 1));
    trajectory.actions.col(steps) = action;
    trajectory.observations.col(++steps) = observation;
  }
  trajectory.observations.conservativeResize(Eigen::NoChange, steps + 1);
  trajectory.actions.conservativeResize(Eigen::NoChange, steps);
  return trajectory;
}

// What the plan promises to tell about the parameters, if the model is right.
std::optional<double> planned_information(const BayesianLinearModel* belief, const Plan* plan) {
  if (!belief || !plan) return std::nullopt;
  Matrix inputs(plan->states.rows() + plan->actions.rows(), plan->actions.cols());
  inputs << plan->states.leftCols(plan->actions.cols()), plan->actions;
  return information(*belief, inputs);
}

// The paper's Algorithm 1, with everything it leaves behind.
ExperimentResult explore(const Config& config, const System& system, RunDirectory& run, int threads,
                         const ExperimentEvents& events) {
  const SystemSpec& spec = system.spec();
  const NoiseLevels noise = noise_levels(config, spec);
  const std::unique_ptr<Explorer> explorer = make_explorer(config, system, threads);
  Learner learner(config, system, threads);
  Judge judge(config, system, noise, threads);

  if (config.best_achievable_transitions > 0 && judge.test_set()) {
    const Scores line = best_achievable(
        system, noise, features_for(config, spec), config.best_achievable_transitions,
        evidence_settings(config, system, threads), *judge.test_set());
    run.write_best_achievable(line);
    if (events.on_best_achievable) events.on_best_achievable(line);
  }

  ExperimentResult result;
  const auto keep = [&](const MetricsRow& row) {
    run.append_metrics(row);
    result.rows.push_back(row);
    if (events.on_row) events.on_row(row);
  };
  MetricsRow before;
  judge.judge(nullptr, before);
  keep(before);

  for (int episode = 1; episode <= config.episodes; ++episode) {
    if (events.stop_requested && events.stop_requested()) {
      result.interrupted = true;
      break;
    }
    MetricsRow row{.episode = episode};

    // Decide what to try.
    const Stopwatch planning;
    explorer->begin_episode(episode, learner.belief());
    row.plan_seconds = planning.seconds();
    row.information_planned = planned_information(learner.belief(), explorer->plan());
    if (explorer->plan()) row.plan_status = name(explorer->plan()->status);

    // Try it, and keep what was seen before anything else can fail.
    const Trajectory trajectory = run_episode(*explorer, system, noise, config.seed, episode);
    explorer->end_episode(trajectory);
    run.write_episode(episode, spec, trajectory);

    // Learn from it.
    const Transitions data = transitions_of(trajectory, spec.limits);
    if (learner.belief()) row.information_gained = information(*learner.belief(), data.inputs);
    const Stopwatch fitting;
    learner.learn(data);
    row.fit_seconds = fitting.seconds();
    row.evidence = learner.log_evidence();
    row.steps = trajectory.steps();
    row.transitions = learner.transitions();

    // Judge what is believed now.
    const Stopwatch evaluating;
    judge.judge(learner.belief(), row);
    row.evaluate_seconds = evaluating.seconds();

    if (const BayesianLinearModel* belief = learner.belief()) {
      run.write_model(*belief);
      if (events.on_belief) events.on_belief(episode, *belief);
    }
    keep(row);
  }
  return result;
}

}  // namespace

ExperimentResult run_experiment(const Config& config, const System& system, RunDirectory& run,
                                int threads, const ExperimentEvents& events) {
  try {
    ExperimentResult result = explore(config, system, run, threads, events);
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
