#include "apps/rhc/threads_option.h"

#include "rhc/core/parallel.h"

namespace rhc::app {

void add_threads_option(CLI::App& command, int& threads) {
  threads = hardware_threads();
  command
      .add_option("--threads", threads,
                  "Threads; the results do not depend on it (default: all cores)")
      ->check(CLI::Range(1, 1024));
}

}  // namespace rhc::app
