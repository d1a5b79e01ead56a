// A run that takes a moment.
#pragma once

#include <string>

#include "rhc/explore/explore_run.h"
#include "rhc/io/run_record.h"
#include "rhc/system/registry.h"
#include "tests/temporary_directory.h"

namespace rhc {

inline Config tiny_config(const std::string& system = "pendulum", int episodes = 3) {
  Config config;
  config.system = system;
  config.episodes = episodes;
  config.features = 20;
  config.evidence_starts = 2;
  config.plan_starts = 2;
  config.task_starts = 2;
  config.task_hops = config.limit_hops = 0;
  config.test_trajectories = 20;
  config.test_steps = 3;
  config.best_achievable_transitions = 20;
  return config;
}

// One with enough features to learn something.
inline Config small_config(const std::string& system, int episodes) {
  Config config;
  config.system = system;
  config.episodes = episodes;
  config.features = 30;
  config.test_trajectories = 100;
  config.test_steps = 4;
  config.best_achievable_transitions = 100;
  config.evidence_starts = 4;
  config.plan_starts = config.task_starts = 3;
  config.task_hops = config.limit_hops = 0;
  return config;
}

inline RunResult explore(const std::filesystem::path& path, const Config& config,
                                const RunEvents& events = {}) {
  RunDirectory run(path, config);
  return explore_run(make_system(config.system), run, 1, events);
}

inline Config without_evaluation(Config config) {
  config.task = false;
  config.test_trajectories = 0;
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
