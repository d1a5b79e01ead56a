// The metrics of a run once more, or by other measures, from its stored episodes alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/run/explore_run.h"
#include "rhc/store/replace_evaluation.h"

namespace rhc {

// The settings that a run's exploring does not depend on.
std::vector<std::string> evaluation_settings();

// Changes one of them, from text such as "task=true". InputError for any other: that would be
// another run.
void assign_evaluation(Config& config, std::string_view key_and_value);

// Learns and judges in the order of the episodes; nothing is planned and no system is explored.
// What is known of plans is taken over from the stored rows, and so is the run's checkpoint, where
// there is one. InputError that names what is damaged where it matters. `config` is the run's, but
// for settings of the evaluation.
NewEvaluation evaluate_run(const System& system, const RunRecord& run, const Config& config,
                           int threads, const RunEvents& events);

// How far a column's values are apart, at most.
struct Difference {
  std::string column;  // of metrics.jsonl, or "best_achievable.NAME"
  double relative;     // infinite where only one side has a value
  std::optional<int> episode;
};

// Of every column that differs in more than seconds; none where all is the same to the last bit.
std::vector<Difference> differences(const RunRecord& stored, const NewEvaluation& now);

}  // namespace rhc
