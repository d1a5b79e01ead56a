#include "rhc/system/system.h"

namespace rhc {

Matrix sample_region(const System& system, Index count, RandomStream randomness) {
  const SystemSpec& spec = system.spec();
  Matrix inputs(spec.inputs(), count);
  for (Index i = 0; i < count; ++i) {
    const Vector state = randomness.uniform_in(spec.region);
    // With a history: points at rest.
    inputs.col(i) << system.observe(state).replicate(spec.history, 1),
        randomness.uniform_in(spec.action_bounds).replicate(spec.history, 1);
  }
  return inputs;
}

}  // namespace rhc
