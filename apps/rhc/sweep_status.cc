#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "apps/rhc/commands.h"
#include "apps/rhc/progress.h"
#include "apps/rhc/sweep.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/core/text.h"
#include "rhc/format/files.h"
#include "rhc/report/compare_report.h"
#include "rhc/report/page.h"
#include "rhc/store/lock.h"
#include "rhc/study/collect.h"
#include "rhc/study/estimate.h"
#include "rhc/study/slurm.h"

namespace rhc::app {

namespace {

struct StatusOptions {
  std::string directory;
  bool json = false, failed = false;
};

struct CollectOptions {
  std::string directory, out;
};

// How many runs are how far.
struct Counts {
  int runs = 0, finished = 0, running = 0, queued = 0, stopped = 0, failed = 0, waiting = 0;

  void add(const RunStatus& status, bool in_queue) {
    ++runs;
    switch (status.state) {
      case RunState::finished:
        ++finished;
        break;
      case RunState::running:
        ++running;
        break;
      case RunState::failed:
        ++failed;
        break;
      case RunState::stopped:
        ++(in_queue ? queued : stopped);
        break;
      case RunState::waiting:
        ++(in_queue ? queued : waiting);
        break;
    }
  }

  Json json() const {
    return {{"runs", runs},       {"finished", finished}, {"running", running}, {"queued", queued},
            {"stopped", stopped}, {"failed", failed},     {"waiting", waiting}};
  }
};

int show_status(const StatusOptions& options) {
  const Sweep sweep = open_sweep(options.directory);
  std::vector<QueuedTask> queue;
  std::string queue_problem;
  try {
    queue = queue_of(sweep);
  } catch (const IoError& error) {
    queue_problem = error.what();  // what is on the disk can be told all the same
  }
  const std::set<std::string> queued = runs_in_queue(sweep, queue);

  const std::vector<PlannedRun>& runs = sweep.plan.runs;
  std::vector<RunStatus> status(runs.size());
  parallel_for(static_cast<int>(runs.size()), hardware_threads(), [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    status[at] = status_of(sweep, runs[at]);
  });

  Counts all;
  std::map<std::string, Counts> groups;
  std::vector<std::string> order;
  Estimate estimate;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!groups.contains(runs[i].group)) order.push_back(runs[i].group);
    const bool in_queue = queued.contains(runs[i].name);
    groups[runs[i].group].add(status[i], in_queue);
    all.add(status[i], in_queue);
    if (status[i].state == RunState::finished) estimate.learn(runs[i], status[i].seconds);
  }
  double seconds = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (status[i].state == RunState::finished || status[i].state == RunState::failed) continue;
    seconds += estimate.seconds_left(runs[i], status[i].episodes_done);
  }
  const auto owner = lock_owner(sweep.path);

  if (options.json) {
    Json failed = Json::array(), by_group = Json::object(), tasks = Json::array();
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (status[i].state == RunState::failed)
        failed.push_back({{"run", runs[i].name}, {"why", status[i].why}});
    for (const std::string& group : order) by_group[group] = groups[group].json();
    for (const QueuedTask& task : queue)
      tasks.push_back({{"job", task.job}, {"state", task.state}, {"reason", task.reason}});
    Json json = all.json();
    json.update({{"groups", by_group},
                 {"failures", failed},
                 {"tasks", tasks},
                 {"queue_problem", queue_problem},
                 {"seconds_on_one_core", seconds},
                 {"owner", owner ? Json(*owner) : Json()}});
    fmt::print("{}\n", dump_any(json));
    return kDone;
  }
  if (!queue_problem.empty()) fmt::print(stderr, "rhc: {}\n", queue_problem);
  std::size_t width = 5;
  for (const std::string& group : order) width = std::max(width, group.size());
  const auto line = [&](const std::string& name, const Counts& c) {
    fmt::print("{:<{}} {:>6} {:>9} {:>8} {:>7} {:>8} {:>8} {:>7}\n", name, width, c.runs,
               c.finished, c.running, c.queued, c.stopped, c.waiting, c.failed);
  };
  fmt::print("{:<{}} {:>6} {:>9} {:>8} {:>7} {:>8} {:>8} {:>7}\n", "group", width, "runs",
             "finished", "running", "queued", "stopped", "waiting", "failed");
  for (const std::string& group : order) line(group, groups[group]);
  if (order.size() > 1) line("all", all);
  std::map<std::string, int> pending;
  for (const QueuedTask& task : queue)
    if (task.pending()) ++pending[task.reason];
  for (const auto& [reason, count] : pending)
    fmt::print("{} {} in the queue: {}\n", count, count == 1 ? "task waits" : "tasks wait", reason);
  if (owner) fmt::print("a sweep is under way: {}\n", *owner);
  if (all.finished < all.runs) fmt::print("about {} of work left on one core\n", duration(seconds));
  int told = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (status[i].state != RunState::failed) continue;
    if (!options.failed && ++told > 10) {
      fmt::print("failed: and more; --failed lists all\n");
      break;
    }
    fmt::print("failed: {}: {}\n", runs[i].name, status[i].why);
  }
  return kDone;
}

int collect_results(const CollectOptions& options) {
  const Sweep sweep = open_sweep(options.directory);
  const std::filesystem::path out =
      options.out.empty() ? sweep.path : std::filesystem::path(options.out);
  make_directories(out);
  const Collected collected = collect(sweep, hardware_threads());
  if (collected.runs.empty())
    throw InputError(collected.left_out.empty()
                         ? fmt::format("no run of '{}' has begun yet", sweep.path.string())
                         : collected.left_out[0]);
  std::vector<std::string> warnings;
  const std::vector<Group> groups = group_runs(collected.runs, warnings);
  write_results(collected.runs, out / "results.csv", hardware_threads());
  write_output(out / "curves.csv", curves_csv(groups));

  Json data = compare_report_data(collected.runs);
  // First, for only so many are shown.
  const Json others = std::exchange(data["warnings"], collected.left_out);
  for (const Json& warning : others) data["warnings"].push_back(warning);
  const std::size_t missing = sweep.plan.runs.size() - collected.runs.size();
  if (missing > collected.left_out.size())
    data["warnings"].push_back(fmt::format("{} of {} runs have not begun",
                                           missing - collected.left_out.size(),
                                           sweep.plan.runs.size()));
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(kShown, data["warnings"].size()); ++i)
    fmt::print(stderr, "rhc: {}\n", data["warnings"][i].get<std::string>());
  if (data["warnings"].size() > kShown)
    fmt::print(stderr, "rhc: and {} more warnings\n", data["warnings"].size() - kShown);
  fmt::print("{}", compare_table(data));
  fmt::print("results: {}\n", (out / "results.csv").string());
  fmt::print("curves: {}\n", (out / "curves.csv").string());
  if (pages_available()) {
    write_output(out / "compare.html", page("Comparison of runs", data));
    fmt::print("comparison: {}\n", (out / "compare.html").string());
  }
  return collected.left_out.empty() ? kDone : kFailed;
}

// The process of "process 17 on HOST since ...", where the host is this one.
pid_t process_here(const std::string& owner) {
  const auto words = split(owner, ' ');
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  if (words.size() < 4 || words[0] != "process" || words[3] != host) return -1;
  return static_cast<pid_t>(parse_integer(words[1]).value_or(-1));
}

int cancel(const std::string& directory) {
  const Sweep sweep = open_sweep(directory);
  const std::vector<std::string> jobs = cancel_jobs(sweep);
  for (const std::string& job : jobs) fmt::print("cancelled job {}\n", job);
  const auto owner = lock_owner(sweep.path);
  if (owner) {
    const pid_t process = process_here(*owner);
    if (process <= 0 || ::kill(process, SIGTERM) != 0)
      throw IoError(fmt::format("a sweep is under way elsewhere ({}); end it there", *owner));
    fmt::print("asked process {} to save its runs and end\n", process);
  }
  if (jobs.empty() && !owner) fmt::print("nothing is queued and nothing runs\n");
  fmt::print("what was done is kept; `rhc sweep FILE --out {}` goes on\n", directory);
  return kDone;
}

}  // namespace

void add_sweep_status(CLI::App& sweep, int& exit_code) {
  const auto options = std::make_shared<StatusOptions>();
  CLI::App* command = sweep.add_subcommand("status",
                                           "How far a sweep is, from its directory and Slurm's "
                                           "queue\nExample: rhc sweep status sweeps/paper");
  command->add_option("directory", options->directory, "Directory of the sweep")
      ->type_name("DIR")
      ->required();
  command->add_flag("--failed", options->failed, "List all failed runs with their reasons");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &exit_code] { exit_code = show_status(*options); });
}

void add_sweep_collect(CLI::App& sweep, int& exit_code) {
  const auto options = std::make_shared<CollectOptions>();
  CLI::App* command = sweep.add_subcommand(
      "collect",
      "Gather the results: a table of all episodes, medians and deciles over seeds, and a page\n"
      "Example: rhc sweep collect sweeps/paper --out results");
  command->add_option("directory", options->directory, "Directory of the sweep")
      ->type_name("DIR")
      ->required();
  command->add_option("--out", options->out, "Where to write (default: the sweep's directory)")
      ->type_name("DIR");
  command->callback([options, &exit_code] { exit_code = collect_results(*options); });
}

void add_sweep_cancel(CLI::App& sweep, int& exit_code) {
  const auto directory = std::make_shared<std::string>();
  CLI::App* command = sweep.add_subcommand(
      "cancel",
      "Take a sweep out of Slurm's queue, or end the process that does it here; what was done is "
      "kept\nExample: rhc sweep cancel sweeps/paper");
  command->add_option("directory", *directory, "Directory of the sweep")
      ->type_name("DIR")
      ->required();
  command->callback([directory, &exit_code] { exit_code = cancel(*directory); });
}

}  // namespace rhc::app
