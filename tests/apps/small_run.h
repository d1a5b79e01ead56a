// A run that takes a fraction of a second.
#pragma once

#include <gtest/gtest.h>

#include "tests/apps/program.h"

namespace rhc {

// Settings that explore in a fraction of a second.
inline std::vector<std::string> small_settings() {
  return {"features=30",
          "forecast_features=60",
          "test_trajectories=100",
          "evidence_starts=4",
          "best_achievable_transitions=100",
          "plan_starts=3",
          "task_starts=3",
          "task_hops=0",
          "task_draws=0",
          "limit_hops=0"};
}

inline std::vector<std::string> explore_small(const std::string& system, const std::string& out,
                                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"explore", system, "--quiet", "--out", out};
  for (const std::string& word : small_settings()) words.push_back(word);
  words.insert(words.end(), more.begin(), more.end());
  return later_wins(words);
}

inline void explore_to_end(const TemporaryDirectory& dir, const std::string& system,
                           const std::string& out, const std::vector<std::string>& more = {}) {
  const Outcome outcome = run(explore_small(system, out, more), dir);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
}

// A finished one of two episodes in `run` of that directory.
inline std::filesystem::path small_run(const TemporaryDirectory& directory,
                                       const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"--episodes", "2"};
  all.insert(all.end(), more.begin(), more.end());
  EXPECT_EQ(run(explore_small("pendulum", "run", all), directory).code, 0);
  return directory.path() / "run";
}

// Replaces the first occurrence in a file; fails where there is none.
inline void replace_in(const std::filesystem::path& file, const std::string& from,
                       const std::string& to) {
  std::string text = slurp(file);
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << file << " has no " << from;
  std::ofstream(file) << text.replace(at, from.size(), to);
}

}  // namespace rhc
