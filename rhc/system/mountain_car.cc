#include "rhc/system/mountain_car.h"

#include <algorithm>
#include <cmath>

namespace rhc {

SystemSpec MountainCar::spec() const {
  Box limits = Box::unbounded(2);
  limits.lower[0] = -1.15;
  limits.upper[0] = 0.55;
  return {
      .name = "mountain-car",
      .title = "car in a valley, too weak to drive straight up",
      .state = {{"position", ""}, {"velocity", "1/step"}},
      .observation = {{"position", ""}, {"velocity", "1/step"}},
      .action = {{"action", ""}},
      .angles = {},
      .action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)},
      .limits = limits,
      .time_step = 1,
      .horizon = 130,
      .start = Eigen::Vector2d(-0.5236, 0),
      .region = {Eigen::Vector2d(-1.15, -0.065), Eigen::Vector2d(0.5, 0.065)},
      .task = {.target = Eigen::Vector2d(0.5, 0),
               .weight = Eigen::Vector2d(10, 0),
               .action_weight = Vector::Constant(1, 0.001)},
  };
}

Vector MountainCar::step(const Vector& state, const Vector& action) const {
  Vector next;
  step_to(state, action, next);
  return next;
}

void MountainCar::step_to(const Vector& state, const Vector& action, Vector& next) const {
  double velocity = state[1] + 0.001 * action[0] - 0.0025 * std::cos(3 * state[0]);
  const double position = std::clamp(state[0] + velocity, -1.2, 0.6);
  if (position == -1.2) velocity = std::max(velocity, 0.0);  // the wall
  next = Eigen::Vector2d(position, velocity);
}

}  // namespace rhc
