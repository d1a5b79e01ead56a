#include "rhc/neural/sac_explorer.h"

#include <fmt/format.h>

#include <utility>

#include "rhc/core/error.h"
#include "rhc/neural/unit_actions.h"

namespace rhc {

SacExplorer::SacExplorer(const SystemSpec& spec, SacExplorerSettings settings)
    : spec_(spec),
      settings_(std::move(settings)),
      device_(device_named(settings_.device)),
      sac_(spec_.outputs(), spec_.action_bounds.size(), settings_.sac, device_,
           RandomStream(settings_.seed, "sac networks")),
      actions_(settings_.seed, "sac actions"),
      updates_(settings_.seed, "sac updates") {}

Decision SacExplorer::decide(const Question& question) {
  episode_ = question.episode;
  // Streams of the episode's own, so that their state need not be kept between two.
  actions_ = RandomStream(settings_.seed, "sac actions", static_cast<std::uint64_t>(episode_));
  updates_ = RandomStream(settings_.seed, "sac updates", static_cast<std::uint64_t>(episode_));
  meter_.reset();
  if (!question.model) return {};
  const Regression& belief = question.model->regression;
  if (without_worth_) {
    BonusMeter meter(settings_.bonus, belief.prior());
    for (Index t = 0; t < without_worth_->steps(); ++t)
      remember(meter, without_worth_->observations.col(t), without_worth_->actions.col(t),
               without_worth_->observations.col(t + 1));
    without_worth_.reset();
  }
  meter_.emplace(settings_.bonus, belief);
  return {};
}

Vector SacExplorer::act(const Vector& observation, int step) {
  if (!meter_) return actions_.uniform_in(gentle_bounds(spec_));
  if (step > 0) {
    remember(*meter_, last_observation_, last_action_, observation);
    update(step);
  }
  last_observation_ = observation;
  last_action_ =
      spec_.action_bounds.clip(from_unit(sac_.act(observation, &actions_), spec_.action_bounds));
  if (!last_action_.allFinite()) fail(step, "its policy's action is not a number");
  return last_action_;
}

void SacExplorer::learn(const Matrix&, const Trajectory& trajectory) {
  if (!meter_) {
    without_worth_ = trajectory;
    return;
  }
  const Index last = trajectory.steps();
  remember(*meter_, trajectory.observations.col(last - 1), trajectory.actions.col(last - 1),
           trajectory.observations.col(last));
  update(static_cast<int>(last));
  // What comes next is kept: a last update that spoilt the networks must not be.
  if (!sac_.finite()) fail(static_cast<int>(last), "its networks are no longer numbers");
}

// A step out of the limits is one the model does not learn from: it is worth nothing, and the end.
void SacExplorer::remember(BonusMeter& meter, const Vector& observation, const Vector& action,
                           const Vector& next) {
  const bool inside = spec_.limits.contains(next);
  const double worth = inside ? meter.worth(observation, action, next) : 0;
  sac_.memory().add({rows_of(observation, device_),
                     rows_of(to_unit(action, spec_.action_bounds), device_),
                     at::full({1}, worth, device_), rows_of(next, device_),
                     at::full({1}, inside ? 1.0 : 0.0, device_)});
}

void SacExplorer::update(int step) {
  for (int i = 0; i < settings_.updates; ++i) {
    const SacLosses losses = sac_.update(updates_);
    if (!losses.finite())
      fail(step, fmt::format("its losses are {} (critics), {} (policy) and {} (temperature)",
                             losses.critic, losses.actor, losses.temperature));
  }
}

void SacExplorer::fail(int step, const std::string& symptom) const {
  throw LearningError(fmt::format(
      "soft actor-critic stopped learning in episode {}, step {}: {}; a smaller sac_learning_rate "
      "may help",
      episode_, step, symptom));
}

void SacExplorer::save(NamedValues& values) const {
  sac_.save(values, "explorer/sac");
  if (!without_worth_) return;
  values.put("explorer/observations", without_worth_->observations);
  values.put("explorer/actions", without_worth_->actions);
}

void SacExplorer::restore(const NamedValues& values) {
  sac_.restore(values, "explorer/sac");
  without_worth_.reset();
  if (values.has("explorer/observations"))
    without_worth_ = Trajectory{values.matrix("explorer/observations", spec_.outputs(), -1),
                                values.matrix("explorer/actions", spec_.action_bounds.size(), -1)};
}

}  // namespace rhc
