#include "apps/rhc/run_to_end.h"

#include <fmt/format.h>

#include <cstdio>

#include "apps/rhc/commands.h"
#include "apps/rhc/stop_signals.h"
#include "apps/rhc/threads_option.h"
#include "rhc/core/error.h"
#include "rhc/describe/problem_file.h"
#include "rhc/format/files.h"
#include "rhc/plan/plan_with_model.h"
#include "rhc/report/page.h"
#include "rhc/report/run_report.h"

namespace rhc::app {

namespace {

void write_problem(int episode, const System& system, const RunDirectory& run,
                   const DynamicsModel& model) {
  const SystemSpec& spec = system.spec();
  const Vector start = system.observe(spec.start);
  const Config& config = run.config();
  write_atomically(run.path() / fmt::format("problem-{:04}.json", episode),
                   problem_json(spec, model, start,
                                planning_limits(spec, start, config.plan.stay_inside,
                                                config.plan.limit_margin)));
}

}  // namespace

void add_run_options(CLI::App& command, RunOptions& options) {
  add_threads_option(command, options.threads);
  command
      .add_option("--dump-problem", options.dump_problem,
                  "Also write the planning problem that the belief poses after this episode, as\n"
                  "problem-NNNN.json in the run directory (see `rhc plan`)")
      ->check(CLI::Range(1, 1000000));
  command.add_flag("--quiet", options.quiet, "Print nothing but errors");
  command.add_flag("--json", options.json, "Print one JSON object a line instead of a table");
}

int run_to_end(const System& system, RunDirectory& run, const RunOptions& options,
               ProcessPlant* plant) {
  Progress progress(progress_style(options.quiet, options.json), "exploring", run.path(),
                    run.config(), run.past().episodes_done());
  RunEvents events;
  progress.attach(events);
  events.stop_requested = [] { return stop_signals_heard() > 0; };
  if (plant) {
    plant->stop_requested = events.stop_requested;
    plant->log_to(run.path() / "plant.log");
  }
  if (options.dump_problem > 0)
    events.on_model = [&](int episode, const DynamicsModel& model) {
      if (episode == options.dump_problem) write_problem(episode, system, run, model);
    };
  // The first asks the run to end after what it is doing, the second ends the program.
  count_first_stop_signal();

  RunResult result;
  const std::string go_on = fmt::format("`rhc resume {}` goes on", run.path().string());
  try {
    result = explore_run(system, run, options.threads, events, plant);
  } catch (const IoError& error) {
    progress.end("failed", std::nullopt);
    throw IoError(fmt::format("{}\nWhat was learned so far is kept; {}.", error.what(), go_on));
  } catch (const LearningError& error) {
    progress.end("failed", std::nullopt);
    throw LearningError(
        fmt::format("{}\nWhat was learned so far is kept; {}, but with the same settings learning "
                    "fails the same way. `rhc explore --config {} KEY=VALUE` begins anew with "
                    "another value.",
                    error.what(), go_on, (run.path() / "config.toml").string()));
  } catch (...) {
    progress.end("failed", std::nullopt);
    throw;
  }

  if (result.stopped) {
    progress.end("stopped: " + *result.stopped, std::nullopt);
    const int done = result.rows.empty() ? 0 : result.rows.back().episode;
    fmt::print(
        stderr,
        "rhc: the plant stopped the run in episode {}: {}\n"
        "What was learned before is kept. When the plant may move again, {} with episode {}.\n",
        done + 1, *result.stopped, go_on, done + 1);
    return kStopped;
  }
  if (result.interrupted) {
    progress.end("interrupted", std::nullopt);
    fmt::print(stderr, "rhc: interrupted after episode {} of {}; {}\n",
               result.rows.empty() ? 0 : result.rows.back().episode, run.config().episodes, go_on);
    return kInterrupted;
  }
  progress.end("finished", leave_report(system, run.path(), options.threads));
  return kDone;
}

std::optional<std::filesystem::path> leave_report(const System& system,
                                                  const std::filesystem::path& path, int threads) {
  if (!pages_available()) return std::nullopt;
  const RunRecord run = read_run(path);
  return write_report(run, run_report_data(run, system, {.threads = threads}));
}

}  // namespace rhc::app
