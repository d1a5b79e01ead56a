// A run that takes a fraction of a second.
#pragma once

#include <gtest/gtest.h>

#include "tests/apps/program.h"

namespace rhc {

inline std::vector<std::string> small_explore(const std::string& out,
                                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"explore",
                                  "pendulum",
                                  "--quiet",
                                  "--out",
                                  out,
                                  "features=30",
                                  "test_trajectories=100",
                                  "evidence_starts=4",
                                  "best_achievable_transitions=100",
                                  "plan_starts=3",
                                  "task_starts=3",
                                  "task_hops=0",
                                  "limit_hops=0"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A finished one of two episodes in `run` of that directory.
inline std::filesystem::path small_run(const TemporaryDirectory& directory,
                                       const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"--episodes", "2"};
  all.insert(all.end(), more.begin(), more.end());
  EXPECT_EQ(run(small_explore("run", all), directory).code, 0);
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

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace rhc
