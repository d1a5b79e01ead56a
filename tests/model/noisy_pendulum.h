// Episodes of the pendulum, pushed at random, with noise of sensors and of the motion.
#pragma once

#include <vector>

#include "rhc/system/pendulum.h"
#include "rhc/system/plant.h"

namespace rhc {

inline std::vector<Transitions> noisy_episodes(const NoiseLevels& noise, int count,
                                               std::uint64_t seed) {
  const SystemSpec spec = Pendulum{}.spec();
  std::vector<Transitions> episodes;
  for (int i = 0; i < count; ++i) {
    SimulatedPlant plant(Pendulum{}, noise,
                         RandomStream(seed, "plant", static_cast<std::uint64_t>(i)));
    RandomStream randomness(seed, "actions", static_cast<std::uint64_t>(i));
    Trajectory seen{Matrix(3, spec.horizon + 1), Matrix(1, spec.horizon)};
    seen.observations.col(0) = plant.reset(spec.start);
    for (Index t = 0; t < spec.horizon; ++t) {
      if (t % 8 == 0) seen.actions(0, t) = randomness.uniform(-1, 1);
      if (t % 8 != 0) seen.actions(0, t) = seen.actions(0, t - 1);
      seen.observations.col(t + 1) = plant.step(seen.actions.col(t));
    }
    episodes.push_back(transitions_of(seen, spec.limits));
  }
  return episodes;
}

}  // namespace rhc
