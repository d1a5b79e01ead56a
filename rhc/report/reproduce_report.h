// The paper's experiments on one page: its two figures and its table of run times, beside ours.
#pragma once

#include <optional>
#include <vector>

#include "rhc/format/json.h"
#include "rhc/store/run_record.h"

namespace rhc {

// Of any runs, as many as there are. `figure2` is a run of the pendulum; the figure says why it is
// missing where that run is not there or too short.
Json reproduce_report_data(const std::vector<RunSummary>& runs,
                           const std::optional<RunRecord>& figure2, int threads);

}  // namespace rhc
