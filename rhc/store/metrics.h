// metrics.jsonl: a row an episode.
#pragma once

#include <string>
#include <vector>

#include "rhc/explore/metrics_row.h"
#include "rhc/format/json.h"

namespace rhc {

// Undefined values are null.
Json metrics_json(const MetricsRow& row);

// The same with every key, also those that an older version did not write: a line of a table.
Json metrics_cells(const MetricsRow& row);

// Throws InputError that names the key.
MetricsRow metrics_row(const JsonReader& reader);

// metrics.jsonl as a whole.
std::string metrics_text(const std::vector<MetricsRow>& rows);

Json scores_json(const Scores& scores);
Scores scores_of(const JsonReader& reader);

// best_achievable.json: the scores of a model that was given so many uniform transitions.
std::string best_achievable_text(const Scores& scores, int transitions);

}  // namespace rhc
