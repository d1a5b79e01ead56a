// A run: episodes of exploring, learning and judging, all of it kept.
#pragma once

#include <functional>
#include <vector>

#include "rhc/io/run_directory.h"
#include "rhc/model/bayesian_linear_model.h"
#include "rhc/system/system.h"

namespace rhc {

struct ExperimentEvents {
  std::function<void(const Scores&)> on_best_achievable;
  std::function<void(const MetricsRow&)> on_row;
  std::function<void(int episode, const BayesianLinearModel&)> on_belief;
  std::function<bool()> stop_requested;  // asked before each episode
};

struct ExperimentResult {
  std::vector<MetricsRow> rows;
  bool interrupted = false;
};

// The paper's Algorithm 1. The same config gives the same bytes, whatever the number of threads.
ExperimentResult run_experiment(const Config& config, const System& system, RunDirectory& run,
                                int threads, const ExperimentEvents& events);

}  // namespace rhc
