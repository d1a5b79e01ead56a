// What the report shows of single episodes: trajectories, predictions, planes, calibration.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "rhc/store/run_record.h"
#include "rhc/system/system.h"

namespace rhc {

struct ReportSettings {
  // Names of the two variables of the plane; all pairs where none are named and there are few.
  std::optional<std::pair<std::string, std::string>> plane{};
  int threads = 1;
};

// Adds coordinates, episodes, predictions, tasks, planes and calibration, and to the list
// `problems` what could not be read. Of long runs only some episodes are shown, of long episodes
// every `stride`-th step. Returns the stride.
Index put_details(const RunRecord& run, const System& system, const ReportSettings& settings,
                  Json& data);

}  // namespace rhc
