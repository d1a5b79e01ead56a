// The words below `rhc sweep`.
#pragma once

#include <CLI/CLI.hpp>

namespace rhc::app {

void add_sweep_status(CLI::App& sweep, int& exit_code);
void add_sweep_collect(CLI::App& sweep, int& exit_code);
void add_sweep_cancel(CLI::App& sweep, int& exit_code);
void add_sweep_work(CLI::App& sweep, int& exit_code);

}  // namespace rhc::app
