// What `rhc explore` and `rhc resume` share: a run that goes on until it is done or stopped.
#pragma once

#include <CLI/CLI.hpp>

#include "apps/rhc/progress.h"
#include "rhc/plant/process_plant.h"

namespace rhc::app {

struct RunOptions {
  int threads;
  int dump_problem = 0;
  bool quiet = false, json = false;
};

void add_run_options(CLI::App& command, RunOptions& options);

// Explores, with progress on the screen and signals heeded; leaves the report. The exit code.
// `plant`: null where the system is simulated.
int run_to_end(const System& system, RunDirectory& run, const RunOptions& options,
               ProcessPlant* plant);

// Writes a run's report, where there are pages; returns where it is.
std::optional<std::filesystem::path> leave_report(const System& system,
                                                  const std::filesystem::path& path, int threads);

}  // namespace rhc::app
