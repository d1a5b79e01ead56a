#include "rhc/explore/campaign.h"

#include "rhc/core/error.h"
#include "rhc/evaluate/information.h"
#include "rhc/explore/experiment.h"

namespace rhc {

Campaign::Campaign(const Config& config, const System& system, int threads)
    : config_(config),
      system_(system),
      explorer_(make_explorer(config, system, threads)),
      learner_(config, system, threads) {}

const Proposal& Campaign::ask(const std::optional<Vector>& start) {
  const Vector from = start.value_or(system_.observe(system_.spec().start));
  if (asked_ && asked_->start == from) return *asked_;
  const BayesianLinearModel* belief = learner_.belief();
  explorer_->stop_requested = stop_requested;
  explorer_->start_from(from);
  explorer_->begin_episode(told_ + 1, belief);
  Proposal proposal{.experiment = told_ + 1, .start = from, .actions = explorer_->actions()};
  if (const Plan* plan = explorer_->plan()) {
    const std::vector<AnglePair> circles =
        config_.stay_inside ? system_.spec().angles : std::vector<AnglePair>{};
    proposal.forecast = forecast(*belief, circles, plan->states, plan->actions);
    proposal.information = planned_information(*belief, *plan);
    proposal.status = name(plan->status);
  }
  asked_ = std::move(proposal);
  return *asked_;
}

void Campaign::tell(const Trajectory& trajectory) {
  MetricsRow row{};
  learn_from(trajectory, system_.spec(), learner_, row);
  explorer_->end_episode(trajectory);
  ++told_;
  asked_.reset();
}

}  // namespace rhc
