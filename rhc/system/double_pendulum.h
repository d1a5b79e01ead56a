// The double pendulum of the RealAIGym competition, with one motor: at the elbow (acrobot) or at
// the shoulder (pendubot). Runge-Kutta of order 4 with steps of 2 ms, as its simulator has it.
#pragma once

#include "rhc/system/spec.h"

namespace rhc {

enum class Motor { shoulder, elbow };

// Angles 0, 0 hang, pi, 0 stand. Defaults: the machine of the simulated leaderboard.
struct DoublePendulum {
  Motor motor = Motor::elbow;
  double substep = 0.002;  // s
  int substeps = 10;       // a step is 20 ms

  double mass[2] = {0.5234602302310271, 0.6255677234174437};           // kg
  double length[2] = {0.2, 0.3};                                       // m
  double centre[2] = {0.2, 0.25569305436052964};                       // m, of mass
  double inertia[2] = {0.031887199591513114, 0.05086984812807257};     // kg m^2
  double damping[2] = {0, 0}, friction[2] = {0, 0};                    // N m s, N m
  double motor_inertia = 0, gear_ratio = 6, gravity = 9.81, most = 6;  // kg m^2, -, m/s^2, N m

  // The torque is part of the state. An action is the change of it over a step; it is linear in
  // time, and constant in each substep.
  SystemSpec spec() const;
  Vector step(const Vector& state, const Vector& action) const;
  Vector observe(const Vector& state) const;

  // The torque in one substep of a step.
  double torque(double before, double change, int at) const;

  // One substep: both angles, both speeds, under torques on both joints.
  Eigen::Vector4d substep_from(const Eigen::Vector4d& motion, const Eigen::Vector2d& torques) const;

  // Of the end of the second link, above the shoulder.
  double height(double shoulder, double elbow) const;
};

}  // namespace rhc
