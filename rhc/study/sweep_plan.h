// Which runs a study is made of: a grid over systems, methods, seeds and any setting.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/explore/config.h"

namespace rhc {

struct PlannedRun {
  std::string name;   // of its directory, such as "pendulum-rhc-evr-3"
  std::string group;  // the same without the seed
  Config config;
};

// What a cluster is asked for. Empty text: as the cluster has it by default.
struct SlurmSettings {
  std::string partition, account, time, memory;
  int chunk = 1;                       // runs that one task does, one after another
  int cpus = 1;                        // of a task
  int most_at_once = 0;                // tasks; 0: as many as the cluster lets
  std::vector<std::string> options{};  // further words for sbatch, which may hold spaces
};

// Why it is none of the names, times and sizes that Slurm knows; empty where it may be.
std::string problem_with_slurm_word(std::string_view text);

struct SweepPlan {
  std::vector<PlannedRun> runs;
  SlurmSettings slurm;
};

// Reads a file such as
//   [grid]
//   system = ["pendulum", "cartpole"]
//   method = ["random", "rhc-evr"]
//   seed = "1-20"
//   [settings]
//   episodes = 10
// Several [[grid]] tables are done one after another. InputError that names file, line and column
// for unknown keys, values out of range, control characters, an axis without values, and
// combinations that come twice.
SweepPlan read_sweep(const std::filesystem::path& file);
SweepPlan read_sweep(std::string_view toml, const std::string& name);

// InputError where a run would be refused when it begins: said before the first one does.
void check_runnable(const SweepPlan& plan);

}  // namespace rhc
