#include "rhc/explore/experiment.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "rhc/core/error.h"
#include "rhc/evaluate/best_achievable.h"
#include "rhc/explore/explorer.h"
#include "rhc/model/fit_model.h"

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

// The paper's Algorithm 1, with everything it leaves behind.
ExperimentResult explore(const Config& config, const System& system, RunDirectory& run, int threads,
                         const ExperimentEvents& events) {
  const SystemSpec& spec = system.spec();
  const NoiseLevels noise = noise_levels(config, spec);
  const EvidenceSettings evidence = evidence_settings(config, system, threads);
  const std::unique_ptr<Explorer> explorer = make_explorer(config.method, spec, config.seed);
  const FourierFeatures draw =
      draw_features(config.features, spec.inputs(), RandomStream(config.seed, "features"));
  const TestSet test_set =
      draw_test_set(system, noise, config.test_trajectories, config.test_steps, threads);

  if (config.best_achievable_transitions > 0) {
    const Scores line = best_achievable(system, noise, config.features,
                                        config.best_achievable_transitions, evidence, test_set);
    run.write_best_achievable(line);
    if (events.on_best_achievable) events.on_best_achievable(line);
  }

  ExperimentResult result;
  std::optional<FittedModel> belief;
  std::optional<Hyperparameters> previous;
  std::vector<Transitions> data;
  const auto keep = [&](const MetricsRow& row) {
    run.append_metrics(row);
    result.rows.push_back(row);
    if (events.on_row) events.on_row(row);
  };
  keep({.rmse = rmse_without_data(test_set)});

  for (int episode = 1; episode <= config.episodes; ++episode) {
    if (events.stop_requested && events.stop_requested()) {
      result.interrupted = true;
      break;
    }
    MetricsRow row{.episode = episode};

    // Decide what to try.
    const Stopwatch planning;
    explorer->begin_episode(episode, belief ? &belief->model : nullptr);
    row.plan_seconds = planning.seconds();

    // Try it, and keep what was seen before anything else can fail.
    const Trajectory trajectory = run_episode(*explorer, system, noise, config.seed, episode);
    explorer->end_episode(trajectory);
    run.write_episode(episode, spec, trajectory);

    // Learn from all that was seen so far.
    const Stopwatch fitting;
    data.push_back(transitions_of(trajectory, spec.limits));
    const Transitions all = concatenate(data);
    if (all.count() > 0) {
      belief = fit_model(draw, all, evidence, previous);
      previous = belief->fit.hyperparameters;
      row.evidence = belief->fit.log_evidence;
    }
    row.steps = trajectory.steps();
    row.transitions = all.count();
    row.fit_seconds = fitting.seconds();

    // Judge the belief by trajectories it has not seen.
    const Stopwatch evaluating;
    if (belief) {
      row.scores = score(belief->model, test_set, threads);
      row.rmse = row.scores->rmse;
    } else {
      row.rmse = rmse_without_data(test_set);
    }
    row.evaluate_seconds = evaluating.seconds();

    if (belief) run.write_model(belief->model);
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
