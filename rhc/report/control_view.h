// What the controller did with a run, as a page shows it: of its last run the newest rows of the
// log, and of each a summary.
#pragma once

#include <filesystem>

#include "rhc/format/json.h"
#include "rhc/system/spec.h"

namespace rhc {

// Null where nothing was controlled. `runs`: `number`, `status`, `steps`, `missed`, `cost` of each;
// then of the last one `time`, `observations` (`measured`, `estimated`, `planned`), `actions`, the
// times of all steps that had `trouble`, and its last `troubles` in words. A log that grows is read
// at its end alone.
Json control_view(const std::filesystem::path& run, const SystemSpec& spec);

// The latest rows are what a page that follows a controller needs: so many bytes of the log, and so
// many points.
inline constexpr std::size_t kControlTail = std::size_t{1} << 20;
inline constexpr Index kControlPoints = 1500;

}  // namespace rhc
