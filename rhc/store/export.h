// A run's data in the formats that other programs read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rhc/store/run_record.h"

namespace rhc {

// Names of all formats: "csv", "jsonl", "npz".
std::vector<std::string> export_formats();

// All steps of all episodes: `episode`, `step`, the observations, the actions, which the last row
// of an episode does not have. Damaged episodes are left out.
std::string steps_as_csv(const RunRecord& run);
std::string steps_as_jsonl(const RunRecord& run);

// Every key of metrics.jsonl a column.
std::string metrics_as_csv(const RunRecord& run);
std::string metrics_as_jsonl(const RunRecord& run);

// All transitions as they were carried out, and the metrics, as numpy's arrays.
std::string run_as_npz(const RunRecord& run);

// The text or bytes in the format of that name. InputError for another name.
std::string export_run(const RunRecord& run, std::string_view format, bool metrics);

// What a cell of a table holds: nothing for null and what is not finite, texts without quotes.
std::string csv_cell(const Json& value);

}  // namespace rhc
