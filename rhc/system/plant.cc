#include "rhc/system/plant.h"

#include <utility>

namespace rhc {

SimulatedPlant::SimulatedPlant(System system, NoiseLevels noise, RandomStream randomness)
    : system_(std::move(system)), noise_(std::move(noise)), randomness_(randomness) {}

Vector SimulatedPlant::reset(const Vector& state) {
  state_ = state;
  return measure();
}

Vector SimulatedPlant::step(const Vector& action) {
  state_ = system_.step(state_, action);
  if (noise_.process.size() > 0)
    state_ += noise_.process.cwiseProduct(randomness_.normals(state_.size()));
  return measure();
}

Vector SimulatedPlant::measure() {
  Vector observation = system_.observe(state_);
  if (noise_.observation.size() > 0)
    observation += noise_.observation.cwiseProduct(randomness_.normals(observation.size()));
  return observation;
}

}  // namespace rhc
