#include "apps/rhc/plan_options.h"

#include <fmt/format.h>

#include <cstdio>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "apps/rhc/threads_option.h"
#include "rhc/core/error.h"

namespace rhc::app {

void add_plan_options(CLI::App& command, PlanningOptions& options) {
  command.add_option("--start", options.start, kMeasuredStart)->type_name("VALUES");
  command.add_option("--horizon", options.horizon, "Steps (default: as an experiment has)")
      ->check(CLI::Range(1, 100000));
  command.add_option("--starts", options.starts, "Points from which the plan is searched")
      ->check(CLI::Range(1, 1000000));
  command.add_option("--hops", options.hops, "Times the best plan is disturbed and solved again")
      ->check(CLI::Range(0, 1000000));
  command
      .add_option("--draws", options.draws,
                  "Systems that the model holds possible, over which the expected cost is made\n"
                  "small (default: the run's task_draws; 0: plan for the mean of the model)")
      ->check(CLI::Range(0, 1000));
  add_sigmas_option(command, options.sigmas);
  add_threads_option(command, options.threads);
  add_task_options(command, options.task);
}

SolveSettings solve_settings(const PlanningOptions& options, const RunRecord& run) {
  SolveSettings settings{.task = task_change(options.task, run.spec),
                         .horizon = options.horizon,
                         .starts = options.starts,
                         .hops = options.hops,
                         .draws = options.draws,
                         .sigmas = options.sigmas,
                         .threads = options.threads};
  if (!options.start.empty()) {
    if (run.description.empty()) throw InputError("--start needs a system that a file describes");
    settings.before = parse_measured_start(options.start, system_file_of(run));
  }
  return settings;
}

int tell_status(const Solution& solution) {
  if (solution.plan.status == PlanStatus::failed) return kFailed;
  if (solution.plan.status == PlanStatus::infeasible)
    fmt::print(stderr, "rhc: the plan does not stay inside the limits as it should\n");
  if (solution.plan.status == PlanStatus::shrunk)
    fmt::print(stderr,
               "rhc: no plan of the task stays inside the limits by {} deviations. This one has "
               "smaller actions, and may not do the task at all; `--sigmas 0` plans without the "
               "margin\n",
               solution.sigmas);
  return kDone;
}

}  // namespace rhc::app
