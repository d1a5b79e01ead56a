#include "rhc/explore/judge.h"

#include <utility>

#include "rhc/evaluate/task_cost.h"

namespace rhc {

Judge::Judge(const Config& config, const System& system, std::shared_ptr<const TestSet> test_set,
             std::optional<double> limit, int threads)
    : config_(config),
      system_(system),
      threads_(threads),
      test_set_(std::move(test_set)),
      limit_(limit) {}

void Judge::judge(const DynamicsModel* model, MetricsRow& row) {
  row.task_cost_limit = limit_;
  if (test_set_ && model) {
    row.scores = score(model->regression, *test_set_, threads_);
    row.rmse = row.scores->rmse;
  } else if (test_set_) {
    row.rmse = rmse_without_data(*test_set_);
  }
  if (config_.judge.task && model) {
    const Plan plan = plan_task(*model, system_, config_.plan.stay_inside, config_.judge.task_draws,
                                task_planner_settings(config_, threads_), last_);
    last_ = {plan.actions};
    row.task_cost_predicted = plan.objective;
    // What it would cost the real one, only that one knows.
    if (!system_.spec().simulated) return;
    task_solution_ = open_loop(system_, plan.actions);
    row.task_cost = system_.spec().task.total(*task_solution_);
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
