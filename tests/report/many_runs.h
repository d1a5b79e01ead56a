// Runs that nobody has made, for reports of many.
#pragma once

#include <string>
#include <vector>

#include "rhc/store/run_record.h"

namespace rhc {

// Finished, with such costs after the episodes from the first on; the cost's limit is 100.
inline RunSummary run_with_costs(const std::string& system, const std::string& method,
                                 std::uint64_t seed, const std::vector<double>& costs) {
  RunSummary run;
  run.path = "runs/" + system + "-" + method + "-" + std::to_string(seed);
  run.config.system = system;
  run.config.method = method;
  run.config.seed = seed;
  run.config.episodes = static_cast<int>(costs.size());
  run.manifest.rhc = "1.0";
  run.manifest.compiler = "GNU 12";
  run.manifest.cpu = "Abacus";
  run.manifest.status = "finished";
  run.manifest.seconds = 10 * static_cast<double>(seed);
  run.best_achievable = Scores{0.001, 250, 260, 240, 0.95};
  run.rows.push_back({.episode = 0, .rmse = 1, .task_cost_limit = 100});
  for (std::size_t k = 0; k < costs.size(); ++k)
    run.rows.push_back({.episode = static_cast<int>(k) + 1,
                        .rmse = costs[k] / 1000,
                        .scores = Scores{costs[k] / 1000, -costs[k], 0, -2 * costs[k], 0.9},
                        .task_cost = costs[k],
                        .task_cost_limit = 100});
  return run;
}

}  // namespace rhc
