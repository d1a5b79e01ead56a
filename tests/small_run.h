// A run that takes a moment.
#pragma once

#include <string>

#include "rhc/run/explore_run.h"
#include "rhc/store/run_record.h"
#include "rhc/system/registry.h"
#include "tests/temporary_directory.h"

namespace rhc {

inline Config tiny_config(const std::string& system = "pendulum", int episodes = 3) {
  Config config;
  config.system = system;
  config.episodes = episodes;
  config.model.features = 20;
  config.model.forecast_features = 40;
  config.model.evidence_starts = 2;
  config.plan.starts = 2;
  config.judge.task_starts = 2;
  config.judge.task_hops = config.judge.limit_hops = config.judge.task_draws = 0;
  config.judge.test_trajectories = 20;
  config.judge.test_steps = 3;
  config.judge.best_achievable_transitions = 20;
  return config;
}

// One with enough features to learn something.
inline Config small_config(const std::string& system, int episodes) {
  Config config;
  config.system = system;
  config.episodes = episodes;
  config.model.features = 30;
  config.model.forecast_features = 60;
  config.judge.test_trajectories = 100;
  config.judge.test_steps = 4;
  config.judge.best_achievable_transitions = 100;
  config.model.evidence_starts = 4;
  config.plan.starts = config.judge.task_starts = 3;
  config.judge.task_hops = config.judge.limit_hops = config.judge.task_draws = 0;
  return config;
}

inline RunResult explore(const std::filesystem::path& path, const Config& config,
                         const RunEvents& events = {}) {
  RunDirectory run(path, config);
  return explore_run(make_system(config.system), run, 1, events);
}

inline Config without_evaluation(Config config) {
  config.judge.task = false;
  config.judge.test_trajectories = 0;
  return config;
}

// Explores and returns where.
inline std::filesystem::path explored(const std::filesystem::path& path, const Config& config) {
  explore(path, config);
  return path;
}

// A finished run of three episodes to be spoilt; it is made only once.
inline void copy_sample_run(const std::filesystem::path& to) {
  static const TemporaryDirectory sample;
  static const bool made = [] {
    explore(sample.path() / "run", tiny_config());
    return true;
  }();
  if (made)
    std::filesystem::copy(sample.path() / "run", to, std::filesystem::copy_options::recursive);
}

}  // namespace rhc
