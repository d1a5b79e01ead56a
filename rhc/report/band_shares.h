// How a run's bands fare some steps ahead: those it announced, and those of logs it was shown.
#pragma once

#include <string>
#include <vector>

#include "rhc/format/json.h"
#include "rhc/store/run_record.h"

namespace rhc {

// Share of what came inside the 95 % bands that were announced before it, over all episodes, by the
// steps since their start: `steps` (the last of each bin), `points` (in each bin), and `inside`, a
// row for each observation. Null where nothing was announced.
Json announced_shares(const RunRecord& run);

// What `rhc validate --write` left, as a page needs it; null where there is none. What cannot be
// read is added to the problems.
Json kept_validation(const RunRecord& run, std::vector<std::string>& problems);

}  // namespace rhc
