// What `rhc sweep` and `rhc reproduce` share: a study that goes on until all its runs are done.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "rhc/study/sweep_plan.h"

namespace rhc::app {

struct SweepOptions {
  std::string out;
  int jobs = 0;  // 0: as many as there are cores
  std::string launcher = "local";
  bool retry = false, dry_run = false, quiet = false, json = false;
  // Of Slurm, before those of the file.
  std::optional<std::string> partition{}, account{}, time{}, memory{};
  std::optional<int> chunk{};
};

void add_sweep_options(CLI::App& command, SweepOptions& options);

// Begins the sweep in options.out, or goes on with it. `toml` is the text of the file `name`. The
// exit code: done where all runs are finished or were given to Slurm.
int run_sweep(const SweepOptions& options, const std::string& toml, const std::string& name);

}  // namespace rhc::app
