// Trajectories that no explorer has seen: the same for every run of a system.
#pragma once

#include <vector>

#include "rhc/core/types.h"
#include "rhc/system/plant.h"

namespace rhc {

// Trajectory i occupies column i of every block.
struct TestSet {
  std::vector<Matrix> observations;  // steps + 1 blocks, D x count
  std::vector<Matrix> actions;       // steps blocks, k x count
  Vector output_scale;               // standard deviation of each output (difference) over the set

  Index count() const { return observations.empty() ? 0 : observations[0].cols(); }
  Index steps() const { return static_cast<Index>(actions.size()); }
};

// Uniform start states, uniform actions; a trajectory that leaves the limits is drawn again.
TestSet draw_test_set(const System& system, const NoiseLevels& noise, int count, int steps,
                      int threads);

// Single steps drawn in the same way, but others than those of the test set.
Transitions draw_uniform_transitions(const System& system, const NoiseLevels& noise, int count);

}  // namespace rhc
