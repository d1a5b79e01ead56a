// A sweep on this machine: a process a core, each doing one run after another.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rhc/study/estimate.h"
#include "rhc/study/work.h"

namespace rhc {

struct LocalSettings {
  int jobs = 1;     // processes
  int threads = 1;  // of each
  bool retry = false;
};

// Runs are told by their place in the plan.
struct SweepEvents {
  std::function<void(std::size_t run)> on_begin{};
  std::function<void(std::size_t run, int episode)> on_episode{};
  std::function<void(std::size_t run, const WorkResult&)> on_end{};
  std::function<void(const std::string&)> on_remark{};
  std::function<void()> on_tick{};        // several times a second
  std::function<int()> stop_requested{};  // 1: save and end; 2 or more: at once
};

// The longest first, so that no core waits at the end. A process that dies is replaced, and its run
// goes on where it was; a run that kills three without getting any further has failed. Returns
// whether it came to the end, and was not stopped.
bool run_locally(const Sweep& sweep, const std::vector<std::size_t>& runs,
                 const LocalSettings& settings, const Estimate& estimate,
                 const SweepEvents& events);

// What such a process does: takes names of runs from its standard input and says what becomes of
// them on its standard output.
void work_for_launcher(const Sweep& sweep, const WorkSettings& settings);

}  // namespace rhc
