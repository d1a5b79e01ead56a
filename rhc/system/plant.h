// The thing one experiments on: a system that starts, takes actions and is measured, with noise.
#pragma once

#include "rhc/core/random.h"
#include "rhc/system/system.h"

namespace rhc {

// Standard deviations, in the units of each observation or state; empty means none.
struct NoiseLevels {
  Vector observation;  // added to what is measured
  Vector process;      // added to the internal state after each step
};

class SimulatedPlant {
 public:
  SimulatedPlant(System system, NoiseLevels noise, RandomStream randomness);

  // Both return the measured observation.
  Vector reset(const Vector& state);
  Vector step(const Vector& action);

 private:
  Vector measure();

  System system_;
  NoiseLevels noise_;
  RandomStream randomness_;
  Vector state_;
};

}  // namespace rhc
