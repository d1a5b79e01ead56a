// Data as a few episodes of uniform random actions leave it.
#pragma once

#include "rhc/core/types.h"
#include "rhc/system/plant.h"
#include "rhc/system/registry.h"

namespace rhc {

inline Transitions explore_at_random(const System& system, const NoiseLevels& noise, int episodes,
                                     std::uint64_t seed) {
  const SystemSpec& spec = system.spec();
  std::vector<Transitions> batches;
  for (int e = 1; e <= episodes; ++e) {
    const auto index = static_cast<std::uint64_t>(e);
    RandomStream actions(seed, "random actions", index);
    SimulatedPlant plant(system, noise, RandomStream(seed, "plant", index));
    Trajectory t{Matrix(spec.outputs(), spec.horizon + 1),
                 Matrix(static_cast<Index>(spec.action.size()), spec.horizon)};
    t.observations.col(0) = plant.reset(spec.start);
    // Past a limit nothing is learned from, so the steps beyond it do no harm.
    for (int k = 0; k < spec.horizon; ++k) {
      t.actions.col(k) = actions.uniform_in(spec.action_bounds);
      t.observations.col(k + 1) = plant.step(t.actions.col(k));
    }
    batches.push_back(transitions_of(t, spec.limits));
  }
  return concatenate(batches);
}

}  // namespace rhc
