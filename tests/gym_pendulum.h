// Gymnasium's Pendulum-v1: its dynamics, reward, start and time limit.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rhc/core/random.h"

namespace rhc {

class GymPendulum {
 public:
  static constexpr int kSteps = 200;
  static constexpr double kMostTorque = 2;

  Vector reset(RandomStream& randomness) {
    angle_ = randomness.uniform(-std::numbers::pi, std::numbers::pi);
    speed_ = randomness.uniform(-1, 1);
    return observe();
  }

  // An action within -1 and 1; returns the reward.
  double step(double action) {
    constexpr double kGravity = 10, kMass = 1, kLength = 1, kTime = 0.05, kMostSpeed = 8;
    const double torque = kMostTorque * std::clamp(action, -1.0, 1.0);
    const double angle = std::remainder(angle_, 2 * std::numbers::pi);
    const double cost = angle * angle + 0.1 * speed_ * speed_ + 0.001 * torque * torque;
    const double acceleration =
        3 * kGravity / (2 * kLength) * std::sin(angle_) + 3 / (kMass * kLength * kLength) * torque;
    speed_ = std::clamp(speed_ + acceleration * kTime, -kMostSpeed, kMostSpeed);
    angle_ += speed_ * kTime;
    return -cost;
  }

  Vector observe() const { return Vector{{std::cos(angle_), std::sin(angle_), speed_}}; }

 private:
  double angle_ = 0, speed_ = 0;
};

}  // namespace rhc
