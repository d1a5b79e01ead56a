// Puts another evaluation into a run that is there already.
#pragma once

#include <optional>
#include <vector>

#include "rhc/store/lock.h"
#include "rhc/store/run_record.h"

namespace rhc {

struct NewEvaluation {
  Config config;                 // the run's, but for settings of the evaluation
  std::vector<MetricsRow> rows;  // row k is of episode k
  std::optional<Scores> best_achievable;
  std::vector<std::optional<Trajectory>> tasks;  // as solved after episode k, at k - 1
  NamedValues checkpoint;                        // the run's, with the new judge
};

// Replaces settings, metrics, checkpoint, best_achievable.json and tasks/; all else stays. The
// checkpoint comes first, so that a run is right to its readers wherever this is cut off. `run` was
// read while the lock was held.
void replace_evaluation(const Lock& lock, const RunRecord& run, const NewEvaluation& evaluation);

}  // namespace rhc
