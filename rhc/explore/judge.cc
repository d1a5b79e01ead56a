#include "rhc/explore/judge.h"

#include "rhc/evaluate/best_achievable.h"
#include "rhc/evaluate/task_cost.h"

namespace rhc {

Judge::Judge(const Config& config, const System& system, const NoiseLevels& noise,
             std::optional<double> limit, int threads)
    : config_(config), system_(system), noise_(noise), threads_(threads), limit_(limit) {
  if (config.test_trajectories > 0)
    test_set_ = draw_test_set(system, noise, config.test_trajectories, config.test_steps, threads);
  if (config.task && !limit_) limit_ = task_cost_limit(system, config.limit_hops, threads);
}

void Judge::judge(const BayesianLinearModel* belief, MetricsRow& row) {
  row.task_cost_limit = limit_;
  if (test_set_ && belief) {
    row.scores = score(*belief, *test_set_, threads_);
    row.rmse = row.scores->rmse;
  } else if (test_set_) {
    row.rmse = rmse_without_data(*test_set_);
  }
  if (config_.task && belief) {
    const PlannerSettings settings{.starts = config_.task_starts,
                                   .signals = config_.plan_signals,
                                   .hops = config_.task_hops,
                                   .patience = 40,
                                   .shooting = {.tolerance = 1e-5},
                                   .threads = threads_,
                                   .seed = config_.seed};
    const Plan plan = plan_task(*belief, system_, config_.stay_inside, settings, last_);
    last_ = {plan.actions};
    row.task_cost_predicted = plan.objective;
    task_solution_ = carry_out(system_, plan.actions);
    row.task_cost = system_.spec().task.total(*task_solution_);
  }
}

std::optional<Scores> Judge::best_achievable() const {
  if (config_.best_achievable_transitions == 0 || !test_set_) return std::nullopt;
  return rhc::best_achievable(system_, noise_, features_for(config_, system_.spec()),
                              config_.best_achievable_transitions,
                              evidence_settings(config_, system_, threads_), *test_set_);
}

void Judge::save(Archive& archive) const {
  archive.erase("judge/task_actions");
  if (!last_.empty()) archive.put("judge/task_actions", last_[0]);
}

void Judge::restore(const Archive& archive) {
  const SystemSpec& spec = system_.spec();
  if (archive.has("judge/task_actions"))
    last_ = {archive.matrix("judge/task_actions", spec.action_bounds.size(), spec.horizon)};
}

}  // namespace rhc
