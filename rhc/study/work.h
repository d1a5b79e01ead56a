// One run of a sweep, done by whoever has time for it.
#pragma once

#include <functional>
#include <string>

#include "rhc/run/yardsticks.h"
#include "rhc/study/sweep.h"

namespace rhc {

enum class WorkEnd { finished, interrupted, busy, failed };

const char* name(WorkEnd end);

struct WorkResult {
  WorkEnd end;
  std::string why{};
  double seconds = 0;  // of work on this run, by all processes
};

struct WorkSettings {
  int threads = 1;
  // Failed runs are tried again; what is damaged is set aside and done anew.
  bool retry = false;
  std::function<void(int episode)> on_episode{};
  std::function<bool()> stop_requested{};
};

// Begins the run, or goes on with it where an earlier process stopped; one that is finished or, but
// for a retry, has failed is left alone. Never throws for what is wrong with the run itself: that
// is the result, and noted in the sweep.
WorkResult work_on(const Sweep& sweep, const PlannedRun& run, Yardsticks& yardsticks,
                   const WorkSettings& settings);

}  // namespace rhc
