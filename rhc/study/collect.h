// The results of a sweep in one place.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rhc/store/run_record.h"
#include "rhc/study/aggregate.h"
#include "rhc/study/sweep.h"

namespace rhc {

struct Collected {
  std::vector<RunSummary> runs;       // in the order of the plan
  std::vector<std::string> left_out;  // and why
};

// Every run that has begun. One whose settings are not those of the plan is left out: it is another
// run. So is one that lacks rows which its checkpoint does not have.
Collected collect(const Sweep& sweep, int threads);

// A line a run and episode, with what the sweep varies and every metric.
void write_results(const std::vector<RunSummary>& runs, const std::filesystem::path& file,
                   int threads);

// A line a group of seeds, metric and episode: how many runs, median, first and ninth decile.
std::string curves_csv(const std::vector<Group>& groups);

}  // namespace rhc
