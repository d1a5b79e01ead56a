#include "rhc/explore/campaign.h"

#include <utility>

#include "rhc/explore/experiment.h"

namespace rhc {

namespace {

// The belief as it would be if what is under way turns out as expected: surer, but not wiser.
std::optional<BayesianLinearModel> imagined(const BayesianLinearModel* belief,
                                            const SystemSpec& spec,
                                            const std::vector<Proposal>& under_way) {
  if (!belief) return std::nullopt;
  BayesianLinearModel sure = *belief;
  for (const Proposal& proposal : under_way) {
    if (!proposal.forecast) continue;
    const Matrix inputs =
        model_inputs(proposal.forecast->mean, proposal.actions, spec.history, action_at_rest(spec));
    sure.learn({inputs, belief->predict(inputs).mean});
  }
  return sure;
}

}  // namespace

Campaign::Campaign(const Config& config, const System& system, int threads)
    : config_(config),
      system_(system),
      explorer_(make_explorer(config, system, threads)),
      learner_(config, system, threads) {}

const Proposal& Campaign::ask(const std::optional<Vector>& start) {
  const Vector from = start.value_or(system_.observe(system_.spec().start));
  if (!asked_ || asked_->start != from) asked_ = propose(told_ + 1, from, {});
  return *asked_;
}

Proposal Campaign::propose(int experiment, const Vector& start,
                           const std::vector<Proposal>& under_way) {
  const SystemSpec& spec = system_.spec();
  const auto surer =
      under_way.empty() ? std::nullopt : imagined(learner_.belief(), spec, under_way);
  const BayesianLinearModel* belief = surer ? &*surer : learner_.belief();
  // To propose changes nothing: only what was carried out is where the next search begins.
  Archive before;
  explorer_->save(before);
  explorer_->stop_requested = stop_requested;
  explorer_->sigmas = sigmas;
  explorer_->start_from(start);
  explorer_->begin_episode(experiment, belief);
  Proposal proposal{.experiment = experiment, .start = start, .actions = explorer_->actions()};
  const std::vector<AnglePair> circles =
      config_.stay_inside ? spec.angles : std::vector<AnglePair>{};
  if (const Plan* plan = explorer_->plan()) {
    proposal.forecast =
        forecast(*belief, circles, plan->states, plan->actions, action_at_rest(spec));
    proposal.information = planned_information(*belief, spec, *plan);
    proposal.status = name(plan->status);
  } else if (belief) {
    proposal.forecast =
        forecast_from(*belief, circles, start, proposal.actions, action_at_rest(spec));
  }
  explorer_->restore(before);
  return proposal;
}

void Campaign::recall(const Matrix& actions) {
  Archive archive;
  archive.put("explorer/actions", actions);
  explorer_->restore(archive);
}

void Campaign::tell(const Trajectory& trajectory) {
  MetricsRow row{};
  tell(trajectory, row);
}

void Campaign::tell(const Trajectory& trajectory, MetricsRow& row) {
  if (asked_) recall(asked_->actions);
  learn_from(trajectory, system_.spec(), learner_, row);
  explorer_->end_episode(trajectory);
  ++told_;
  asked_.reset();
}

Archive Campaign::archive() const {
  Archive archive;
  explorer_->save(archive);
  learner_.save(archive);
  return archive;
}

void Campaign::restore(const Archive& archive, const std::vector<Trajectory>& told) {
  const SystemSpec& spec = system_.spec();
  std::vector<Transitions> batches;
  for (const Trajectory& trajectory : told)
    batches.push_back(transitions_of(trajectory, spec.limits, spec.history));
  explorer_->restore(archive);
  learner_.restore(archive, std::move(batches));
  told_ = static_cast<int>(told.size());
}

}  // namespace rhc
