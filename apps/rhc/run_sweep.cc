#include "apps/rhc/run_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "apps/rhc/commands.h"
#include "apps/rhc/stop_signals.h"
#include "apps/rhc/sweep_progress.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/format/files.h"
#include "rhc/store/lock.h"
#include "rhc/study/slurm.h"

namespace rhc::app {

namespace {

// What is there of a sweep, and how long the rest will take.
struct Outlook {
  std::vector<RunStatus> status;   // of each run
  std::vector<std::size_t> to_do;  // neither finished nor, but for a retry, failed
  Estimate estimate;
  std::size_t finished = 0, failed = 0;

  Outlook(const Sweep& sweep, bool retry) {
    for (std::size_t i = 0; i < sweep.plan.runs.size(); ++i) {
      const PlannedRun& run = sweep.plan.runs[i];
      status.push_back(status_of(sweep, run));
      const RunState state = status.back().state;
      if (state == RunState::finished) {
        ++finished;
        estimate.learn(run, status.back().seconds);
      } else if (state == RunState::failed && !retry) {
        ++failed;
      } else {
        to_do.push_back(i);
      }
    }
  }

  double seconds(const SweepPlan& plan) const {
    double sum = 0;
    for (const std::size_t i : to_do)
      sum += estimate.seconds_left(plan.runs[i], status[i].episodes_done);
    return sum;
  }
};

int cores_for(const SweepOptions& options, std::size_t runs) {
  const int wanted = options.jobs > 0 ? options.jobs : hardware_threads();
  return std::max(1, std::min(wanted, static_cast<int>(runs)));
}

void show_plan(const SweepOptions& options, const Sweep& sweep) {
  const SweepPlan& plan = sweep.plan;
  const Outlook outlook(sweep, options.retry);
  const double seconds = outlook.seconds(plan);
  const int jobs = cores_for(options, outlook.to_do.size());
  if (options.json) {
    Json names = Json::array();
    for (const PlannedRun& run : plan.runs) names.push_back(run.name);
    fmt::print("{}\n", dump_any({{"runs", plan.runs.size()},
                                 {"finished", outlook.finished},
                                 {"failed", outlook.failed},
                                 {"seconds_on_one_core", seconds},
                                 {"names", names}}));
    return;
  }
  struct Line {
    int runs = 0, finished = 0, episodes = 0;
    double seconds = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Line> lines;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const PlannedRun& run = plan.runs[i];
    if (!lines.contains(run.group)) order.push_back(run.group);
    Line& line = lines[run.group];
    ++line.runs;
    line.finished += outlook.status[i].state == RunState::finished;
    line.episodes = run.config.episodes;
    line.seconds += outlook.estimate.seconds_of(run);
  }
  std::size_t width = 5;
  for (const std::string& group : order) width = std::max(width, group.size());
  fmt::print("{:<{}} {:>6} {:>9} {:>9} {:>14}\n", "group", width, "runs", "finished", "episodes",
             "seconds a run");
  for (const std::string& group : order) {
    const Line& line = lines[group];
    fmt::print("{:<{}} {:>6} {:>9} {:>9} {:>14.1f}\n", group, width, line.runs, line.finished,
               line.episodes, line.seconds / line.runs);
  }
  fmt::print("{} runs in {}: {} finished, {} to do", plan.runs.size(), sweep.path.string(),
             outlook.finished, outlook.to_do.size());
  if (outlook.failed > 0) fmt::print(", {} failed (--retry tries them again)", outlook.failed);
  fmt::print("\nabout {} of work on one core, {} on {}{}\n", duration(seconds),
             duration(seconds / jobs), jobs,
             outlook.finished > 0 ? "" : " (a rough guess until runs are finished)");
}

// The reasons of failed runs, one below the other.
int tell_failures(const Sweep& sweep, bool quiet) {
  std::vector<std::string> reasons;
  for (const PlannedRun& run : sweep.plan.runs)
    if (const RunStatus status = status_of(sweep, run); status.state == RunState::failed)
      reasons.push_back(fmt::format("{}: {}", run.name, status.why));
  if (reasons.empty()) return kDone;
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(reasons.size(), kShown); ++i)
    fmt::print(stderr, "rhc: failed: {}\n", reasons[i]);
  if (reasons.size() > kShown)
    fmt::print(stderr, "rhc: and {} more; `rhc sweep status {} --failed` lists all\n",
               reasons.size() - kShown, sweep.path.string());
  if (!quiet)
    fmt::print(stderr, "rhc: {} of {} runs failed; --retry tries them again\n", reasons.size(),
               sweep.plan.runs.size());
  return kFailed;
}

int run_here(const SweepOptions& options, const Sweep& sweep) {
  const Outlook outlook(sweep, options.retry);
  const int jobs = cores_for(options, outlook.to_do.size());
  const ProgressStyle style = progress_style(options.quiet, options.json);
  if (style == ProgressStyle::lines || style == ProgressStyle::terminal)
    fmt::print("{} runs in {}, {} finished, about {} on {} {}\n", sweep.plan.runs.size(),
               sweep.path.string(), outlook.finished, duration(outlook.seconds(sweep.plan) / jobs),
               jobs, jobs == 1 ? "core" : "cores");
  SweepProgress progress(style, sweep, outlook.to_do, outlook.failed, outlook.estimate, jobs);
  SweepEvents events;
  progress.attach(events);
  events.stop_requested = stop_signals_heard;
  const LocalSettings settings{
      .jobs = jobs, .threads = std::max(1, hardware_threads() / jobs), .retry = options.retry};
  const bool done = run_locally(sweep, outlook.to_do, settings, outlook.estimate, events);
  progress.end();
  if (!done || !release_stop_signals()) {
    fmt::print(stderr, "rhc: interrupted; the same command goes on\n");
    return kInterrupted;
  }
  return tell_failures(sweep, options.quiet);
}

int run_on_slurm(const SweepOptions& options, Sweep sweep) {
  SlurmSettings& slurm = sweep.plan.slurm;
  slurm.partition = options.partition.value_or(slurm.partition);
  slurm.account = options.account.value_or(slurm.account);
  slurm.time = options.time.value_or(slurm.time);
  slurm.memory = options.memory.value_or(slurm.memory);
  slurm.chunk = options.chunk.value_or(slurm.chunk);
  const Outlook outlook(sweep, options.retry);
  const std::vector<SlurmJob> jobs = submit(sweep, outlook.to_do, options.retry);
  for (const SlurmJob& job : jobs) {
    if (options.json)
      fmt::print("{}\n", dump_any({{"event", "submitted"},
                                   {"job", job.id},
                                   {"tasks", job.tasks},
                                   {"runs", job.runs},
                                   {"script", job.script.string()}}));
    else if (!options.quiet)
      fmt::print("submitted job {}: {} runs in {} tasks ({})\n", job.id, job.runs, job.tasks,
                 job.script.string());
  }
  if (!options.quiet && !options.json) {
    if (jobs.empty() && outlook.to_do.empty())
      fmt::print("nothing to submit: {} of {} runs are finished\n", outlook.finished,
                 sweep.plan.runs.size());
    else if (jobs.empty())
      fmt::print("nothing to submit: all runs that are not finished are in the queue\n");
    fmt::print("`rhc sweep status {}` tells how far it is\n", sweep.path.string());
  }
  return outlook.to_do.empty() ? tell_failures(sweep, options.quiet) : kDone;
}

}  // namespace

void add_sweep_options(CLI::App& command, SweepOptions& options) {
  command.add_option("--jobs", options.jobs, "Runs at a time on this machine (default: all cores)")
      ->check(CLI::Range(1, 1024));
  command.add_option("--launcher", options.launcher, "local (default) or slurm")
      ->type_name("LAUNCHER")
      ->check(CLI::IsMember({"local", "slurm"}));
  command.add_flag("--retry", options.retry,
                   "Try failed runs again; what is damaged is set aside and done anew");
  command.add_flag("--dry-run", options.dry_run, "Show the runs and how long they will take");
  command.add_flag("--quiet", options.quiet, "Print nothing but errors");
  command.add_flag("--json", options.json, "Print one JSON object a line");
  const auto slurm_word =
      CLI::Validator([](const std::string& text) { return problem_with_slurm_word(text); }, "");
  command.add_option("--partition", options.partition, "Of Slurm, as in the file's [slurm]")
      ->type_name("NAME")
      ->check(slurm_word);
  command.add_option("--account", options.account, "Of Slurm")
      ->type_name("NAME")
      ->check(slurm_word);
  command.add_option("--time", options.time, "Of Slurm: limit of a task, such as 2:00:00")
      ->type_name("TIME")
      ->check(slurm_word);
  command.add_option("--memory", options.memory, "Of Slurm: of a task, such as 1G")
      ->type_name("SIZE")
      ->check(slurm_word);
  command.add_option("--chunk", options.chunk, "Runs that one Slurm task does (default 1)")
      ->check(CLI::Range(1, 1000000));
}

int run_sweep(const SweepOptions& options, const std::string& toml, const std::string& name) {
  const std::filesystem::path out = options.out;
  // The first lets the runs save themselves, the second kills them; nothing is lost by either but
  // the episode they are at.
  if (options.launcher != "slurm" && !options.dry_run) count_stop_signals();
  // All that can be wrong with the plan is said before anything is made.
  if (options.launcher == "slurm") check_slurm_path(out);
  const Sweep planned = plan_sweep(out, toml, name);
  SweepPlan open;
  for (const PlannedRun& run : planned.plan.runs)
    if (status_of(planned, run).state != RunState::finished) open.runs.push_back(run);
  check_runnable(open);
  if (options.dry_run) {
    show_plan(options, planned);
    return kDone;
  }
  make_directories(out);
  const Lock lock(out);
  const Sweep sweep = begin_sweep(out, toml, name);
  return options.launcher == "slurm" ? run_on_slurm(options, sweep) : run_here(options, sweep);
}

}  // namespace rhc::app
