// What runs are measured by, and what does not depend on them: found once for many runs.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "rhc/evaluate/scores.h"
#include "rhc/evaluate/test_set.h"
#include "rhc/explore/config.h"
#include "rhc/explore/judge.h"
#include "rhc/format/json.h"

namespace rhc {

class Yardsticks {
 public:
  // Numbers that took long are also kept in a folder, where there is one: other processes find them
  // there. What they leave there is never wrong, for its name and its content say what it is of.
  explicit Yardsticks(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

  // Trajectories that judge a model; null where the config asks for none, or where the system
  // cannot be simulated. So it is with the others.
  std::shared_ptr<const TestSet> test_set(const Config& config, const System& system, int threads);

  // The least cost of the task that a perfect model could reach.
  std::optional<double> task_cost_limit(const Config& config, const System& system, int threads);
  // And in a closed loop under the config's noise.
  std::optional<double> task_cost_closed_limit(const Config& config, const System& system,
                                               int threads);

  // The line that no model is expected to pass; nothing where the config asks for none.
  std::optional<Scores> best_achievable(const Config& config, const System& system, int threads);

  // One that judges by these; a limit is not searched where an earlier process has found it.
  Judge judge(const Config& config, const System& system, TaskLimits known, int threads);

 private:
  // `check` throws InputError for what cannot have been found.
  Json kept(const std::string& name, const std::string& key,
            const std::function<void(const Json&)>& check, const std::function<Json()>& find);

  std::filesystem::path folder_;
  std::map<std::string, Json> numbers_;
  std::deque<std::pair<std::string, std::shared_ptr<const TestSet>>> test_sets_;  // the last few
};

}  // namespace rhc
