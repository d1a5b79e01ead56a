#include "rhc/explore/judge.h"

#include <utility>

#include "rhc/evaluate/closed_loop.h"
#include "rhc/evaluate/task_cost.h"

namespace rhc {

Judge::Judge(const Config& config, const System& system, std::shared_ptr<const TestSet> test_set,
             TaskLimits limits, int threads)
    : config_(config),
      system_(system),
      threads_(threads),
      test_set_(std::move(test_set)),
      limits_(limits) {}

void Judge::judge(const DynamicsModel* model, MetricsRow& row) {
  row.task_cost_limit = limits_.open;
  row.task_cost_closed_limit = limits_.closed;
  if (test_set_ && model) {
    row.scores = score(model->regression, *test_set_, threads_);
    row.rmse = row.scores->rmse;
  } else if (test_set_) {
    row.rmse = rmse_without_data(*test_set_);
  }
  if (config_.judge.task && model) {
    const bool stay_inside = config_.plan.stay_inside;
    const int draws = config_.judge.task_draws;
    const std::vector<Plan> plans = plans_of_task(*model, system_, stay_inside, draws,
                                                  task_planner_settings(config_, threads_), last_);
    const Plan& plan = plans[0];
    last_ = {plan.actions};
    row.task_cost_predicted = plan.objective;
    // What it would cost the real one, only that one knows.
    if (!system_.spec().simulated) return;
    task_solution_ = open_loop(system_, plan.actions);
    row.task_cost = system_.spec().task.total(*task_solution_);
    if (!config_.judge.task_closed) return;
    const ControllerSettings controller = controller_settings(config_);
    const Plan& begun_with = best_closed_loop(plans, *model, system_, stay_inside, draws,
                                              config_.seed, controller, threads_);
    row.task_cost_closed = system_.spec().task.total(closed_loop(
        system_, noise_levels(config_, system_.spec()),
        RandomStream(config_.seed, "closed loop", static_cast<std::uint64_t>(row.episode)), *model,
        stay_inside, begun_with.actions, controller));
  }
}

void Judge::save(NamedValues& values) const {
  values.erase("judge/task_actions");
  if (!last_.empty()) values.put("judge/task_actions", last_[0]);
}

void Judge::restore(const NamedValues& values) {
  const SystemSpec& spec = system_.spec();
  if (values.has("judge/task_actions"))
    last_ = {values.matrix("judge/task_actions", spec.action_bounds.size(), spec.horizon)};
}

}  // namespace rhc
