#include "rhc/system/double_pendulum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rhc {

SystemSpec DoublePendulum::spec() const {
  constexpr double pi = std::numbers::pi;
  const bool acrobot = motor == Motor::elbow;
  Vector standing(7), weight(7), at_end(7), hanging = Vector::Zero(5), spread(5);
  standing << -1, 0, 1, 0, 0, 0, 0;
  weight << 1, 1, 1, 1, 0.01, 0.01, 0.1;
  at_end << 100, 100, 100, 100, 1, 1, 1;
  spread << pi, pi, 8, 12, 3;
  return {
      .name = acrobot ? "acrobot-realaigym" : "pendubot-realaigym",
      .title = acrobot ? "RealAIGym's two links that hang, with a motor at the elbow only"
                       : "RealAIGym's two links that hang, with a motor at the shoulder only",
      .state = {{"shoulder", "rad"},
                {"elbow", "rad"},
                {"shoulderdot", "rad/s"},
                {"elbowdot", "rad/s"},
                {"torque", "N m"}},
      .observation = {{"cos_shoulder", ""},
                      {"sin_shoulder", ""},
                      {"cos_elbow", ""},
                      {"sin_elbow", ""},
                      {"shoulderdot", "rad/s"},
                      {"elbowdot", "rad/s"},
                      {"torque", "N m"}},
      .action = {{"change_of_torque", "N m"}},
      .angles = {{0, 1}, {2, 3}},
      .action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)},
      .limits = Box::unbounded(7),
      .time_step = substep * substeps,
      .horizon = 100,
      .start = hanging,
      .region = {-spread, spread},
      .task = {.target = standing,
               .weight = weight,
               .action_weight = Vector::Constant(1, 1),
               .final_weight = at_end},
  };
}

double DoublePendulum::torque(double before, double change, int at) const {
  return std::clamp(before + change * (at + 1) / substeps, -most, most);
}

Eigen::Vector4d DoublePendulum::substep_from(const Eigen::Vector4d& motion,
                                             const Eigen::Vector2d& torques) const {
  // M a + C w = G + u - F, with the motors' own inertia in M.
  const auto rates = [&](const Eigen::Vector4d& x) -> Eigen::Vector4d {
    const double c2 = std::cos(x[1]), s2 = std::sin(x[1]), w1 = x[2], w2 = x[3];
    const double coupling = mass[1] * length[0] * centre[1], gears = gear_ratio * gear_ratio;
    const double m11 = inertia[0] + inertia[1] + mass[1] * length[0] * length[0] +
                       2 * coupling * c2 + (gears + 1) * motor_inertia;
    const double m12 = inertia[1] + coupling * c2 - gear_ratio * motor_inertia;
    const double m22 = inertia[1] + gears * motor_inertia;
    const double s1 = std::sin(x[0]), s12 = std::sin(x[0] + x[1]);
    const double f1 =
        -gravity * (mass[0] * centre[0] * s1 + mass[1] * (length[0] * s1 + centre[1] * s12)) +
        torques[0] + coupling * s2 * w2 * (2 * w1 + w2) - damping[0] * w1 -
        friction[0] * std::atan(100 * w1);
    const double f2 = -gravity * mass[1] * centre[1] * s12 + torques[1] - coupling * s2 * w1 * w1 -
                      damping[1] * w2 - friction[1] * std::atan(100 * w2);
    const double determinant = m11 * m22 - m12 * m12;
    return {w1, w2, (m22 * f1 - m12 * f2) / determinant, (m11 * f2 - m12 * f1) / determinant};
  };
  const Eigen::Vector4d k1 = rates(motion), k2 = rates(motion + 0.5 * substep * k1),
                        k3 = rates(motion + 0.5 * substep * k2), k4 = rates(motion + substep * k3);
  return motion + substep / 6 * (k1 + 2 * (k2 + k3) + k4);
}

Vector DoublePendulum::step(const Vector& state, const Vector& action) const {
  Eigen::Vector4d motion = state.head<4>();
  Eigen::Vector2d torques = Eigen::Vector2d::Zero();
  double& driven = torques[motor == Motor::shoulder ? 0 : 1];
  for (int i = 0; i < substeps; ++i) {
    driven = torque(state[4], action[0], i);
    motion = substep_from(motion, torques);
  }
  Vector next(5);
  next << motion, driven;
  return next;
}

Vector DoublePendulum::observe(const Vector& state) const {
  Vector seen(7);
  seen << std::cos(state[0]), std::sin(state[0]), std::cos(state[1]), std::sin(state[1]),
      state.tail<3>();
  return seen;
}

double DoublePendulum::height(double shoulder, double elbow) const {
  return -length[0] * std::cos(shoulder) - length[1] * std::cos(shoulder + elbow);
}

}  // namespace rhc
