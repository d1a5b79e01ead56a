// How many runs become one answer: medians and deciles over seeds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rhc/io/run_record.h"

namespace rhc {

// Between two values it is interpolated, as numpy does it. NaN where there are none, or
// one is NaN.
double quantile(std::vector<double> values, double probability);

struct Spread {
  double median, decile1, decile9;
};
Spread spread_of(const std::vector<double>& values);

// Over the runs that have a value in that episode.
struct Curve {
  std::vector<int> episode, count;
  std::vector<double> median, decile1, decile9;
};

using Metric = std::function<std::optional<double>(const MetricsRow&)>;

// The metrics that learning curves are drawn of, by their names in metrics.jsonl.
const std::vector<std::pair<std::string, Metric>>& learning_metrics();

// Runs that differ in nothing but their seed and their length.
struct Group {
  std::string system, method;
  std::string label;  // the method, and what sets it apart from others of the same method
  std::vector<const RunSummary*> runs;
};

// In the order in which they were given. `warnings` tell what a reader must know: seeds that came
// twice (and count once), runs that are not finished, versions that differ.
std::vector<Group> group_runs(const std::vector<RunSummary>& runs,
                              std::vector<std::string>& warnings);

Curve curve_of(const Group& group, const Metric& metric);

// The last episode that all runs of a group have.
int last_common_episode(const Group& group);

// Episodes until the task's cost is within 1 % of its limit, in the median of the runs; nothing
// where most have not come that far.
std::optional<double> episodes_to_limit(const Group& group);

}  // namespace rhc
