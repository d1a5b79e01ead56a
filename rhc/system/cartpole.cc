#include "rhc/system/cartpole.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rhc {

namespace {

constexpr double kTotalMass = 1.1;                   // cart and pole
constexpr double kPoleMoment = 0.05;                 // pole mass times distance to its centre
constexpr double kPoleInertia = 0.0344245927672956;  // about the hinge
constexpr double kGravity = 9.81;
constexpr double kCartDamping = 5e-4, kHingeDamping = 2e-6;
constexpr double kGear = 10;  // N at full action
constexpr double kRailEnd = 1.8;

// The force on the cart of the rail's soft end (constants of MuJoCo's solver parameters).
// free_acceleration is the cart's without it, mobility its acceleration per unit of force.
double rail_force(double x, double xdot, double free_acceleration, double mobility) {
  constexpr double kStiffness = 1 / (0.95 * 0.95 * 0.08 * 0.08), kBrake = 2 / (0.95 * 0.08);
  constexpr double kWidth = 0.001, kDiagonal = 0.9733520544614127;
  for (const double side : {+1.0, -1.0}) {  // left end, right end
    const double distance = kRailEnd + side * x;
    if (distance >= 0) continue;
    const double depth = -distance / kWidth;
    const double ramp = depth <= 0.5 ? 2 * depth * depth : 1 - 2 * (1 - depth) * (1 - depth);
    const double impedance = depth >= 1 ? 0.95 : 0.9 + 0.05 * ramp;
    const double regularizer = (1 - impedance) / impedance * kDiagonal;
    const double reference = -kBrake * side * xdot - kStiffness * impedance * distance;
    return side * std::max(0.0, (reference - side * free_acceleration) / (mobility + regularizer));
  }
  return 0;
}

// Time derivative of (x, theta, xdot, thetadot).
Eigen::Vector4d derivative(const Eigen::Vector4d& s, double force) {
  const double sine = std::sin(s[1]), cosine = std::cos(s[1]);
  const double coupling = kPoleMoment * cosine;
  const double determinant = kTotalMass * kPoleInertia - coupling * coupling;
  const double push = force - kCartDamping * s[2] + kPoleMoment * sine * s[3] * s[3];
  const double turn = kPoleMoment * kGravity * sine - kHingeDamping * s[3];

  const double mobility = kPoleInertia / determinant;
  const double free_acceleration = (kPoleInertia * push - coupling * turn) / determinant;
  const double total = push + rail_force(s[0], s[2], free_acceleration, mobility);
  return {s[2], s[3], (kPoleInertia * total - coupling * turn) / determinant,
          (kTotalMass * turn - coupling * total) / determinant};
}

}  // namespace

SystemSpec Cartpole::spec() const {
  constexpr double pi = std::numbers::pi;
  Box limits = Box::unbounded(5);
  limits.upper[0] = kRailEnd;
  limits.upper[3] = limits.upper[4] = 10;
  limits.lower = -limits.upper;
  return {
      .name = "cartpole",
      .title = "pole hanging from a cart on a rail",
      .state = {{"x", "m"}, {"theta", "rad"}, {"xdot", "m/s"}, {"thetadot", "rad/s"}},
      .observation = {{"x", "m"}, {"cos", ""}, {"sin", ""}, {"xdot", "m/s"}, {"thetadot", "rad/s"}},
      .action = {{"action", "10 N"}},
      .angles = {{1, 2}},
      .action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)},
      .limits = limits,
      .time_step = substep * substeps,
      .horizon = 100,
      .start = Eigen::Vector4d(0, pi, 0, 0),  // centred, hanging
      .region = {Eigen::Vector4d(-1.6, -pi, -4, -4), Eigen::Vector4d(1.6, pi, 4, 4)},
      .task = {.target = (Vector(5) << 0, 1, 0, 0, 0).finished(),
               .weight = (Vector(5) << 100, 100, 0.1, 0.1, 0.1).finished(),
               .action_weight = Vector::Constant(1, 0.1)},
  };
}

Vector Cartpole::step(const Vector& state, const Vector& action) const {
  Vector next;
  step_to(state, action, next);
  return next;
}

void Cartpole::step_to(const Vector& state, const Vector& action, Vector& next) const {
  Eigen::Vector4d s = state;
  const double force = kGear * action[0], h = substep;
  for (int i = 0; i < substeps; ++i) {
    const Eigen::Vector4d k1 = derivative(s, force);
    const Eigen::Vector4d k2 = derivative(s + h / 2 * k1, force);
    const Eigen::Vector4d k3 = derivative(s + h / 2 * k2, force);
    const Eigen::Vector4d k4 = derivative(s + h * k3, force);
    s += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  next = s;
}

Vector Cartpole::observe(const Vector& state) const {
  Vector seen;
  observe_to(state, seen);
  return seen;
}

void Cartpole::observe_to(const Vector& state, Vector& seen) const {
  seen.resize(5);
  seen << state[0], std::cos(state[1]), std::sin(state[1]), state[2], state[3];
}

}  // namespace rhc
