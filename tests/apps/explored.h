// Small runs, made by the program.
#pragma once

#include <gtest/gtest.h>

#include "tests/apps/program.h"

namespace rhc {

// The words that explore in a second.
inline std::vector<std::string> explore_small(const std::string& system, const std::string& out,
                                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"explore",
                                    system,
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
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline void explore_to_end(const TemporaryDirectory& dir, const std::string& system,
                           const std::string& out, const std::vector<std::string>& more = {}) {
  const Outcome outcome = run(explore_small(system, out, more), dir);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace rhc
