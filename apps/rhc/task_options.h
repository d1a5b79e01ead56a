// `--target`, `--weight` and their like: another task than the system's file says.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "rhc/describe/task_change.h"

namespace rhc::app {

struct TaskOptions {
  std::vector<std::string> target, weight, final_weight, action_weight;
  std::string reference;
};

void add_task_options(CLI::App& command, TaskOptions& options);

// What the options ask for; a reference file is read here.
TaskChange task_change(const TaskOptions& options, const SystemSpec& spec);

// The task of `spec` becomes what the options ask for, and remarks are printed.
void apply_task_options(const TaskOptions& options, SystemSpec& spec);

}  // namespace rhc::app
