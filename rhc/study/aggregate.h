// How many runs become one answer: medians and deciles over seeds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rhc/store/run_record.h"

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

// Runs that differ in nothing but their seed and their length: of one system, as it is described.
struct Group {
  // Numbered, as in "swing#2", where others of that name are described otherwise.
  std::string system;
  std::string method;
  std::string label;  // the method, and what sets it apart from others of the same method
  std::vector<const RunSummary*> runs;
};

// In the order in which they were given. `warnings` tell what a reader must know: seeds that came
// twice (and count once), runs that are not finished, versions that differ, systems that share a
// name.
std::vector<Group> group_runs(const std::vector<RunSummary>& runs,
                              std::vector<std::string>& warnings);

Curve curve_of(const Group& group, const Metric& metric);

// The last episode that all runs of a group have.
int last_common_episode(const Group& group);

// When the task's cost came within 1 % of its limit for the first time.
struct Arrival {
  Spread episodes;  // over all runs; one that has not come that far is infinitely late
  int arrived;      // runs that came there
};
// Nothing where no run has a task.
std::optional<Arrival> arrival_at_limit(const Group& group);

// Episodes until then in the median of the runs; nothing where most have not come that far.
std::optional<double> episodes_to_limit(const Group& group);

// What a run takes, over those that are finished: others say nothing about it.
struct RunTime {
  double mean, median;  // seconds of computing, on one core or several
  int runs;
  std::optional<int> episodes;  // nothing where they differ in it
  bool evaluated;               // all were judged by test trajectories and by their task
};
std::optional<RunTime> run_time(const Group& group);

}  // namespace rhc
