// `--threads`, as most commands have it.
#pragma once

#include <CLI/CLI.hpp>

namespace rhc::app {

// Sets `threads` to all cores, and to what is asked for.
void add_threads_option(CLI::App& command, int& threads);

}  // namespace rhc::app
