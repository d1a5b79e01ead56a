#include "rhc/system/pendulum.h"

#include <cmath>
#include <numbers>

namespace rhc {

namespace {
constexpr double kPendulumMass = 1, kPendulumLength = 0.5, kPendulumGravity = 9.81,
                 kPendulumDamping = 0.1;
constexpr double kBobRadius = 0.05;
constexpr double kInertia = kPendulumMass * kPendulumLength * kPendulumLength +
                            0.4 * kPendulumMass * kBobRadius * kBobRadius;
}  // namespace

SystemSpec Pendulum::spec() const {
  constexpr double pi = std::numbers::pi;
  return {
      .name = "pendulum",
      .title = "pendulum that is too weak to swing up in one go",
      .state = {{"theta", "rad"}, {"thetadot", "rad/s"}},
      .observation = {{"cos", ""}, {"sin", ""}, {"thetadot", "rad/s"}},
      .action = {{"action", "N m"}},
      .angles = {{0, 1}},
      .action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)},
      .limits = Box::unbounded(3),
      .time_step = substep * substeps,
      .horizon = 100,
      .start = Eigen::Vector2d(pi, 0),  // hanging
      .region = {Eigen::Vector2d(-pi, -8), Eigen::Vector2d(pi, 8)},
      .task = {.target = Eigen::Vector3d(1, 0, 0),
               .weight = Eigen::Vector3d(100, 0.1, 0.1),
               .action_weight = Vector::Constant(1, 0.001)},
  };
}

Vector Pendulum::step(const Vector& state, const Vector& action) const {
  Vector next;
  step_to(state, action, next);
  return next;
}

void Pendulum::step_to(const Vector& state, const Vector& action, Vector& next) const {
  double theta = state[0], thetadot = state[1];
  for (int i = 0; i < substeps; ++i) {
    const double torque = kPendulumMass * kPendulumGravity * kPendulumLength * std::sin(theta) +
                          action[0] - kPendulumDamping * thetadot;
    thetadot += substep * torque / (kInertia + substep * kPendulumDamping);
    theta += substep * thetadot;
  }
  next = Eigen::Vector2d(theta, thetadot);
}

Vector Pendulum::observe(const Vector& state) const {
  Vector seen;
  observe_to(state, seen);
  return seen;
}

void Pendulum::observe_to(const Vector& state, Vector& seen) const {
  seen = Eigen::Vector3d(std::cos(state[0]), std::sin(state[0]), state[1]);
}

}  // namespace rhc
