// A run: episodes of exploring, learning and judging, all of it kept.
#pragma once

#include <functional>
#include <vector>

#include "rhc/explore/learner.h"
#include "rhc/explore/yardsticks.h"
#include "rhc/io/run_directory.h"
#include "rhc/plan/planner.h"
#include "rhc/system/plant.h"

namespace rhc {

struct ExperimentEvents {
  std::function<void(int episode, const char* phase)> on_phase;  // "preparing", "planning", ...
  std::function<void(const Scores&)> on_best_achievable;
  std::function<void(const MetricsRow&)> on_row;
  std::function<void(int episode, const BayesianLinearModel&)> on_belief;
  std::function<bool()> stop_requested;  // asked between phases and while planning
  // What a person should know of an episode that did not go as it should.
  std::function<void(const std::string&)> on_remark{};
};

struct ExperimentResult {
  std::vector<MetricsRow> rows;
  bool interrupted = false;
};

// The paper's Algorithm 1, from the beginning or from where an earlier process stopped. The same
// config gives the same bytes, whatever the number of threads and however often it was stopped.
// Rows of an earlier process are part of the result, and of the events. `plant`: what is
// experimented on; null: the system, simulated.
ExperimentResult run_experiment(const System& system, RunDirectory& run, int threads,
                                const ExperimentEvents& events, Plant* plant = nullptr);

// One of many runs: what they are measured by is found once.
ExperimentResult run_experiment(const System& system, RunDirectory& run, Yardsticks& yardsticks,
                                int threads, const ExperimentEvents& events,
                                Plant* plant = nullptr);

// What a plan promises to tell about the parameters, if the belief is right, in nats.
double planned_information(const BayesianLinearModel& belief, const SystemSpec& spec,
                           const Plan& plan);

// One episode's part of Algorithm 1 that needs no system: the belief and its numbers.
void learn_from(const Trajectory& trajectory, const SystemSpec& spec, Learner& learner,
                MetricsRow& row);

}  // namespace rhc
