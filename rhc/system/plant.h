// The thing one experiments on: a system that starts, takes actions and is measured, with noise.
#pragma once

#include <stdexcept>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "rhc/system/system.h"

namespace rhc {

// Standard deviations, in the units of each observation or state; empty means none.
struct NoiseLevels {
  Vector observation;  // added to what is measured
  Vector process;      // added to the internal state after each step
};

// The plant did not do what it was asked: the episode ends here, and the next begins with `reset`.
struct PlantFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The plant failed, and only a person sets it going again. The run ends here.
struct PlantGivenUp : IoError {
  using IoError::IoError;
};

// The plant itself asked for an end, and says why; a person decides how to go on. Exit code 3.
struct PlantStop : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Plant {
 public:
  virtual ~Plant() = default;

  // Both return the measured observation. `state` is the internal one to begin in.
  virtual Vector reset(const Vector& state) = 0;
  virtual Vector step(const Vector& action) = 0;

  // Whether it ended the episode with what it measured last, such as a machine that fell.
  virtual bool ended() const { return false; }
};

class SimulatedPlant final : public Plant {
 public:
  SimulatedPlant(System system, NoiseLevels noise, RandomStream randomness);

  Vector reset(const Vector& state) override;
  Vector step(const Vector& action) override;

  const Vector& state() const { return state_; }  // the true one

 private:
  Vector measure();

  System system_;
  NoiseLevels noise_;
  RandomStream randomness_;
  Vector state_;
};

}  // namespace rhc
