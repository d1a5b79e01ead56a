// What a plan of the task is made for and how it is searched: `rhc solve` and `rhc export`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "apps/rhc/task_options.h"
#include "rhc/run/solve_run.h"

namespace rhc::app {

struct PlanningOptions {
  std::string start;
  int threads = 1, horizon = 0, starts = 0, hops = -1, draws = -1;
  std::optional<double> sigmas;
  TaskOptions task;
};

void add_plan_options(CLI::App& command, PlanningOptions& options);

SolveSettings solve_settings(const PlanningOptions& options, const RunRecord& run);

// Prints what a person should know of a plan, and returns the command's exit code.
int tell_status(const Solution& solution);

}  // namespace rhc::app
