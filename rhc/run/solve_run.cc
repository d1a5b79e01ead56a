#include "rhc/run/solve_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rhc/core/error.h"
#include "rhc/plan/feedback.h"
#include "rhc/plan/plan_over_draws.h"
#include "rhc/run/learned_model.h"

namespace rhc {

namespace {

// What was planned for the last observation, and where the model sees more, for what was seen and
// done before it.
std::vector<std::string> states_of(const SystemSpec& spec) {
  std::vector<std::string> names = names_of(spec.observation);
  for (const auto& quantities : {spec.observation, spec.action})
    for (int back = 1; back < spec.history; ++back)
      for (const std::string& name : names_of(quantities))
        names.push_back(fmt::format("{}_{}_before", name, back));
  return names;
}

// A machine will follow the plan, so nothing that it depends on may be in doubt.
void refuse_damage(const RunRecord& run) {
  if (run.damaged.empty()) return;
  const std::string path = run.path.string();
  throw InputError(fmt::format(
      "'{}' is damaged, and nothing is planned with it; `rhc inspect {}` lists it, `rhc resume {} "
      "--repair` mends it\n     {}",
      path, path, path, fmt::join(run.damaged, "\n     ")));
}

Matrix gains_around(const Solution& solution) {
  const Plan& plan = solution.plan;
  if (plan.status == PlanStatus::failed)
    return Matrix::Zero(plan.actions.rows(),
                        static_cast<Index>(solution.corrected_by.size()) * plan.actions.cols());
  const auto gains = feedback_gains(solution.model, solution.spec.task, solution.spec.action_bounds,
                                    solution.before, plan.actions);
  if (!gains)
    throw LearningError(
        "the feedback gains around this plan are not finite: the model's derivatives along it are "
        "too large; plan from another start (--start) or for fewer steps (--horizon)");
  return *gains;
}

}  // namespace

Plan plan_task_from(const DynamicsModel& model, const SystemSpec& spec, const Trajectory& before,
                    bool stay_inside, double sigmas, int draws, const PlannerSettings& settings) {
  return plan_over_draws({.model = model,
                          .spec = spec,
                          .before = before,
                          .horizon = spec.horizon,
                          .limits = task_limits(spec, stay_inside),
                          .objective = task_objective(spec.task),
                          .sigmas = sigmas},
                         draws, settings);
}

Solution solve_run(const RunRecord& run, const SolveSettings& wanted) {
  refuse_damage(run);
  const System system = system_of(run);
  SystemSpec spec = system.spec();
  const std::optional<DynamicsModel> model = task_model(run, StopSignal(wanted.stop_requested));
  if (!model) throw InputError(fmt::format("'{}' has learned nothing yet", run.path.string()));
  std::vector<std::string> remarks;
  if (wanted.task.any()) {
    ChangedTask changed = changed_task(spec, wanted.task);
    spec.task = std::move(changed.task);
    remarks = std::move(changed.remarks);
  }
  if (!spec.task.weighs())
    throw InputError(
        fmt::format("'{}' has no task; give its file a [task] with a target and "
                    "weights, or say what to aim at with --target",
                    spec.name));
  if (wanted.horizon > 0) spec.horizon = wanted.horizon;
  const double sigmas = wanted.sigmas.value_or(spec.safety.sigmas);
  const Trajectory before =
      wanted.before.value_or(standing_at(system.observe(spec.start), spec.action_bounds.size()));
  check_start(spec, before.observations.rightCols(1));

  const Config& config = run.config;
  if (config.plan.stay_inside && config.plan.learn_limits) {
    const LearnedLimits learned = learned_limits(ends_seen(run));
    spec.limits = narrowed_for_task(spec, learned, before.observations.rightCols(1));
    if (learned.any())
      remarks.push_back(
          fmt::format("episodes were ended by the plant elsewhere, so the plan stays where {}",
                      in_words(learned, spec)));
  }
  PlannerSettings settings = task_planner_settings(config, wanted.threads);
  if (wanted.starts > 0) settings.starts = wanted.starts;
  if (wanted.hops >= 0) settings.hops = wanted.hops;
  settings.stop_requested = wanted.stop_requested;
  const int draws = wanted.draws >= 0 ? wanted.draws : config.judge.task_draws;
  Solution solution{.model = *model,
                    .spec = spec,
                    .before = before,
                    .stay_inside = config.plan.stay_inside,
                    .sigmas = sigmas,
                    .plan = plan_task_from(*model, spec, before, config.plan.stay_inside, sigmas,
                                           draws, settings),
                    .forecast = {},
                    .corrected_by = states_of(spec),
                    .gains = {},
                    .remarks = std::move(remarks)};
  solution.forecast = forecast(*model, before, solution.plan.states, solution.plan.actions);
  solution.gains = gains_around(solution);
  return solution;
}

}  // namespace rhc
