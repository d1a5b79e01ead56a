#include "rhc/explore/carry_out.h"

#include <fmt/format.h>

#include "rhc/core/error.h"

namespace rhc {

namespace {

// The first observations and the action between them. Where the plant fails before it was measured
// after that action, nothing was seen: it is done again, until the plant gives up for good.
Trajectory begin_on(Plant& plant, const Policy& policy, const SystemSpec& spec,
                    const std::function<void(const std::string&)>& remark) {
  Vector action;
  for (;;) {
    try {
      const Vector before = plant.reset(spec.start);
      // Decided once: what a method remembers must not depend on how often this fails.
      if (action.size() == 0) action = spec.action_bounds.clip(policy(before, 0));
      const Vector after = plant.step(action);
      Trajectory trajectory{Matrix(spec.outputs(), spec.horizon + 1),
                            Matrix(action.size(), spec.horizon)};
      trajectory.observations.leftCols(2) << before, after;
      trajectory.actions.col(0) = action;
      return trajectory;
    } catch (const PlantFailure& failure) {
      remark(fmt::format("did not begin, and is done again: {}", failure.what()));
    }
  }
}

}  // namespace

Trajectory carry_out(const Policy& policy, Plant& plant, const SystemSpec& spec, int episode,
                     const EpisodeListener& listener) {
  const auto remark = [&](const std::string& what) {
    if (listener.remark) listener.remark(fmt::format("episode {} {}", episode, what));
  };
  const auto check_finite = [&](const Vector& observation, int step) {
    if (!observation.allFinite())
      throw InputError(fmt::format(
          "system '{}' returned an observation that is not finite in episode {}, step {}",
          spec.name, episode, step));
  };
  Trajectory trajectory = begin_on(plant, policy, spec, remark);
  int steps = 1;
  const auto seen = [&] {
    return Trajectory{trajectory.observations.leftCols(steps + 1),
                      trajectory.actions.leftCols(steps)};
  };
  Vector observation = trajectory.observations.col(steps);
  check_finite(observation, steps);
  try {
    while (steps < spec.horizon && spec.limits.contains(observation) && !plant.ended()) {
      const Vector action = spec.action_bounds.clip(policy(observation, steps));
      observation = plant.step(action);
      check_finite(observation, steps + 1);
      trajectory.actions.col(steps) = action;
      trajectory.observations.col(++steps) = observation;
    }
  } catch (const PlantFailure& failure) {
    remark(fmt::format("ended after {} of {} steps: {}", steps, spec.horizon, failure.what()));
    return seen();
  } catch (const PlantStop&) {
    if (listener.unfinished) listener.unfinished(seen());
    throw;
  } catch (const PlantGivenUp&) {
    if (listener.unfinished) listener.unfinished(seen());
    throw;
  }
  Trajectory whole = seen();
  whole.ended = plant.ended();
  return whole;
}

}  // namespace rhc
