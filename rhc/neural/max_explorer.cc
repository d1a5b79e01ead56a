#include "rhc/neural/max_explorer.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/neural/unit_actions.h"

namespace rhc {

MaxExplorer::MaxExplorer(const System& system, MaxSettings settings)
    : spec_(system.spec()),
      settings_(std::move(settings)),
      device_(device_named(settings_.device)),
      world_{system.observe(spec_.start), spec_.action_bounds, spec_.limits,
             shape_of(spec_, settings_.stay_inside).angles, spec_.horizon},
      data_{Matrix(spec_.inputs(), 0), Matrix(spec_.outputs(), 0)},
      actions_(settings_.seed, "max actions") {
  const Index warm_up = settings_.imagination.warm_up * spec_.horizon;
  if (settings_.imagination.steps <= warm_up)
    throw InputError(fmt::format(
        "setting 'max_steps' is {}, but max_warm_up = {} episodes of {} steps come first and the "
        "policy would never learn; give more than {}",
        settings_.imagination.steps, settings_.imagination.warm_up, spec_.horizon, warm_up));
}

Decision MaxExplorer::decide(const Question& question) {
  const int episode = question.episode;
  const auto index = static_cast<std::uint64_t>(episode);
  mind_.reset();
  actions_ = RandomStream(settings_.seed, "max actions", index);
  if (data_.count() == 0) return {};

  const auto stop_if_asked = [&] {
    if (question.stop_requested && question.stop_requested()) throw Interrupted();
  };
  Ensemble ensemble(rows_of(data_.inputs, device_), rows_of(data_.outputs, device_),
                    settings_.ensemble, RandomStream(settings_.seed, "max ensemble", index),
                    stop_if_asked);
  const auto fail = [&](const std::string& what, const char* setting) {
    throw LearningError(
        fmt::format("{} before episode {}, step 1; a smaller {} may help", what, episode, setting));
  };
  if (!std::isfinite(ensemble.loss()) || !ensemble.network().finite())
    fail(fmt::format("the ensemble stopped learning: its loss is {}", ensemble.loss()),
         "max_learning_rate");
  Sac policy(spec_.outputs(), spec_.action_bounds.size(), settings_.policy, device_,
             RandomStream(settings_.seed, "max policy", index));
  RandomStream imagination(settings_.seed, "max imagination", index);
  const SacLosses losses = train_in_imagination(ensemble, world_, settings_.imagination, policy,
                                                imagination, stop_if_asked);
  if (!losses.finite() || !policy.finite())
    fail(fmt::format("the policy stopped learning: its losses are {} (critics) and {} (policy)",
                     losses.critic, losses.actor),
         "max_policy_learning_rate");
  mind_ = std::make_unique<Mind>(Mind{std::move(ensemble), std::move(policy)});
  return {};
}

Vector MaxExplorer::act(const Vector& observation, int) {
  if (!mind_) return actions_.uniform_in(gentle_bounds(spec_));
  const Scaling seen = mind_->ensemble.input_scaling().first(observation.size());
  const Tensor standardized = seen.apply(rows_of(observation, device_));
  return from_unit(columns_of(mind_->policy.act(standardized, nullptr)), spec_.action_bounds);
}

NetworkShape MaxExplorer::shape_of_ensemble() const {
  return ensemble_shape(spec_.inputs(), spec_.outputs(), settings_.ensemble);
}

NetworkShape MaxExplorer::shape_of_policy() const {
  return policy_shape(spec_.outputs(), spec_.action_bounds.size(), settings_.policy);
}

void MaxExplorer::learn(const Matrix&, const Trajectory& trajectory) {
  data_ = concatenate({data_, transitions_of(trajectory, spec_.limits)});
}

// Networks are trained anew for every episode, from the data and streams of that episode: their
// shapes are all that must stay the same.
void MaxExplorer::save(NamedValues& values) const {
  put_shape(values, "explorer/ensemble", shape_of_ensemble());
  put_shape(values, "explorer/policy", shape_of_policy());
  values.put("explorer/inputs", data_.inputs);
  values.put("explorer/outputs", data_.outputs);
}

void MaxExplorer::restore(const NamedValues& values) {
  check_shape(values, "explorer/ensemble", shape_of_ensemble());
  check_shape(values, "explorer/policy", shape_of_policy());
  data_ = {values.matrix("explorer/inputs", spec_.inputs(), -1),
           values.matrix("explorer/outputs", spec_.outputs(), -1)};
}

}  // namespace rhc
