// What the launchers of a sweep start; nobody types it.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <thread>

#include "apps/rhc/commands.h"
#include "apps/rhc/stop_signals.h"
#include "apps/rhc/sweep.h"
#include "rhc/core/error.h"
#include "rhc/core/version.h"
#include "rhc/study/local_launcher.h"
#include "rhc/study/slurm.h"

namespace rhc::app {

namespace {

struct SweepWorkOptions {
  std::string directory;
  int submission = 0, task = 0;
  WorkSettings settings;
};

// One task of a job array.
int work_for_slurm(const Sweep& sweep, const SweepWorkOptions& options) {
  Yardsticks yardsticks(sweep.yardsticks());
  int failed = 0;
  const auto names = runs_of_task(sweep, options.submission, options.task);
  std::deque<std::string> to_do(names.begin(), names.end());
  while (!to_do.empty()) {
    const std::string run_name = to_do.front();
    to_do.pop_front();
    const WorkResult result =
        work_on(sweep, run_named(sweep, run_name), yardsticks, options.settings);
    // Another task, or one that is being put away and saves itself: its end is waited for.
    if (result.end == WorkEnd::busy && stop_signals_heard() == 0) {
      to_do.push_back(run_name);
      std::this_thread::sleep_for(std::chrono::seconds(1));
      continue;
    }
    fmt::print("{}: {}{}{}\n", run_name, name(result.end), result.why.empty() ? "" : ": ",
               result.why);
    std::fflush(stdout);
    if (result.end == WorkEnd::interrupted || result.end == WorkEnd::busy) return kInterrupted;
    failed += result.end == WorkEnd::failed;
  }
  return failed == 0 ? kDone : kFailed;
}

}  // namespace

void add_sweep_work(CLI::App& sweep, int& exit_code) {
  const auto options = std::make_shared<SweepWorkOptions>();
  CLI::App* command = sweep.add_subcommand("work", "Do runs for a launcher");
  command->group("");  // not in the help
  command->add_option("directory", options->directory)->required();
  command->add_option("--submission", options->submission);
  command->add_option("--task", options->task);
  command->add_option("--threads", options->settings.threads);
  command->add_flag("--retry", options->settings.retry);
  command->callback([options, &exit_code] {
    count_first_stop_signal();
    options->settings.stop_requested = [] { return stop_signals_heard() > 0; };
    const Sweep sweep_directory = open_sweep(options->directory);
    if (sweep_directory.version != version())
      throw InputError(
          fmt::format("'{}' was begun by rhc {}, this is {}: runs of both would be mixed",
                      options->directory, sweep_directory.version, version()));
    if (options->submission > 0)
      exit_code = work_for_slurm(sweep_directory, *options);
    else
      work_for_launcher(sweep_directory, options->settings);
  });
}

}  // namespace rhc::app
