// A run: a campaign, a plant, a judge, and a directory where all of it is kept.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rhc/explore/algorithm.h"
#include "rhc/run/yardsticks.h"
#include "rhc/store/run_directory.h"
#include "rhc/system/plant.h"

namespace rhc {

struct RunEvents {
  std::function<void(int episode, Phase phase)> on_phase;
  std::function<void(const Scores&)> on_best_achievable;
  std::function<void(const MetricsRow&)> on_row;
  std::function<void(int episode, const DynamicsModel&)> on_model;
  std::function<bool()> stop_requested;  // asked between phases, while planning and learning
  // What a person should know of an episode that did not go as it should.
  std::function<void(const std::string&)> on_remark{};
};

struct RunResult {
  std::vector<MetricsRow> rows;
  bool interrupted = false;
  std::optional<std::string> stopped{};  // by the plant, and why
};

// From the beginning or from where an earlier process stopped. The same config gives the same
// bytes, whatever the number of threads and however often it was stopped. Rows of an earlier
// process are part of the result, and of the events. `plant`: what is experimented on; null: the
// system, simulated. A plant that stops, or fails for good, ends the run; what was measured in that
// episode is kept as unfinished/NNNN.csv, and the episode is done again by whoever goes on.
RunResult explore_run(const System& system, RunDirectory& run, int threads, const RunEvents& events,
                      Plant* plant = nullptr);

// One of many runs: what they are measured by is found once.
RunResult explore_run(const System& system, RunDirectory& run, Yardsticks& yardsticks, int threads,
                      const RunEvents& events, Plant* plant = nullptr);

}  // namespace rhc
