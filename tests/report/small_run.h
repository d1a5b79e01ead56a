// Small real runs, for tests of whoever reads them.
#pragma once

#include "rhc/explore/experiment.h"
#include "rhc/io/run_record.h"
#include "rhc/system/registry.h"
#include "tests/temporary_directory.h"

namespace rhc {

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

inline Config without_evaluation(Config config) {
  config.task = false;
  config.test_trajectories = 0;
  return config;
}

// Explores and returns where.
inline std::filesystem::path explored(const std::filesystem::path& path, const Config& config) {
  RunDirectory run(path, config);
  run_experiment(make_system(config.system), run, 2, {});
  return path;
}

}  // namespace rhc
