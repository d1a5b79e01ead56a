#include "rhc/system/mujoco_system.h"

#include <algorithm>
#include <cmath>

namespace rhc {

Vector MujocoSystem::step(const Vector& state, const Vector& action) const {
  Vector all = resting;
  for (std::size_t i = 0; i < controls.size(); ++i)
    all[controls[i]] = action[static_cast<Index>(i)];
  return model->step(state, all, substeps);
}

Vector MujocoSystem::measure(const Vector& state) const {
  const bool any = std::any_of(readings.begin(), readings.end(),
                               [](const MujocoReading& reading) { return reading.of_sensor; });
  const Vector sensed = any ? model->readings(state) : Vector();
  Vector measured(static_cast<Index>(readings.size()));
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const MujocoReading& reading = readings[i];
    measured[static_cast<Index>(i)] = (reading.of_sensor ? sensed : state)[reading.at];
  }
  return measured;
}

Vector MujocoSystem::observe(const Vector& state) const {
  const Vector measured = measure(state);
  Vector observation(static_cast<Index>(description.observation.size()));
  Index at = 0;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const double value = measured[static_cast<Index>(i)];
    if (readings[i].angle) {
      observation[at++] = std::cos(value);
      observation[at++] = std::sin(value);
    } else {
      observation[at++] = value;
    }
  }
  return observation;
}

Index MujocoSystem::observed(Index joint) const {
  Index at = 0;
  for (const MujocoReading& reading : readings) {
    if (!reading.of_sensor && reading.at == joint) return at;
    at += reading.angle ? 2 : 1;
  }
  return -1;
}

std::vector<Shape> MujocoSystem::shapes() const {
  for (std::size_t joint = 0; joint < model->joints.size(); ++joint)
    if (observed(static_cast<Index>(joint)) < 0) return {};
  return model->shapes;
}

Vector MujocoSystem::pose(const Vector& observation) const {
  Vector positions(static_cast<Index>(model->joints.size()));
  for (Index joint = 0; joint < positions.size(); ++joint) {
    const Index at = observed(joint);
    const bool angle = std::any_of(description.angles.begin(), description.angles.end(),
                                   [&](const AnglePair& pair) { return pair.cosine == at; });
    positions[joint] = angle ? std::atan2(observation[at + 1], observation[at]) : observation[at];
  }
  return model->pose(positions);
}

}  // namespace rhc
