// A sweep whose episodes take milliseconds, and what is left of it.
#pragma once

#include <sys/stat.h>

#include <string>

#include "tests/run_files.h"

namespace rhc {

inline const char kTinySettings[] =
    "[settings]\n"
    "features = 20\n"
    "evidence_starts = 2\n"
    "plan_starts = 2\n"
    "task_starts = 2\n"
    "forecast_features = 40\n"
    "task_hops = 0\n"
    "task_draws = 0\n"
    "limit_hops = 0\n"
    "test_trajectories = 20\n"
    "test_steps = 3\n"
    "best_achievable_transitions = 20\n";

// `grid`: lines of a [grid]; `settings`: lines of [settings] besides the tiny ones.
inline std::string tiny_sweep(const std::string& grid,
                              const std::string& settings = "episodes = 2\n") {
  return "[grid]\n" + grid + kTinySettings + settings;
}

// Files of a folder with who they are, so that a file written anew with the same content shows.
inline std::map<std::string, std::string> identities(const std::filesystem::path& folder) {
  std::map<std::string, std::string> result;
  for (const auto& [name, bytes] : all_files(folder)) {
    struct stat about {};
    if (::stat((folder / name).c_str(), &about) != 0) continue;
    result[name] = std::to_string(about.st_ino) + " " + std::to_string(about.st_mtim.tv_sec) + "." +
                   std::to_string(about.st_mtim.tv_nsec) + " " + bytes;
  }
  return result;
}

}  // namespace rhc
