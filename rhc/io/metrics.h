// One row of metrics.jsonl: what is known after an episode.
#pragma once

#include <optional>
#include <string>

#include "rhc/evaluate/scores.h"

namespace rhc {

struct MetricsRow {
  int episode = 0;        // 0: before any data
  Index steps = 0;        // steps of this episode
  Index transitions = 0;  // learned from so far
  double rmse = 0;        // the only score that a belief without data has
  std::optional<Scores> scores{};
  std::optional<double> evidence{};  // of all data, in the units of the observations
  double plan_seconds = 0, fit_seconds = 0, evaluate_seconds = 0;
};

// Without the line's end. Undefined values are null.
std::string metrics_json(const MetricsRow& row);

}  // namespace rhc
