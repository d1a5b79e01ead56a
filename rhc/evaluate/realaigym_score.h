// The score of RealAIGym's leaderboard (version 2) for a swing-up of the double pendulum.
#pragma once

#include <vector>

#include "rhc/system/double_pendulum.h"

namespace rhc {

// What its simulator records every 2 ms: what was measured, and the torque that was commanded.
struct SwingUpRecord {
  std::vector<double> time;
  std::vector<Eigen::Vector4d> motion;   // both angles, both speeds
  std::vector<Eigen::Vector2d> torques;  // on shoulder and elbow
};

struct SwingUpScore {
  bool success = false;
  double time = 0;        // s, from which it is up to the end
  double energy = 0;      // J
  double torque = 0;      // N^2 m^2 s
  double smoothness = 0;  // N m: deviation of the change from one row to the next
  double velocity = 0;    // rad^2 / s
  double score = 0;
};

// Up: the end of the second link is above 0.9 of the links' length.
SwingUpScore realaigym_score(const SwingUpRecord& record, const DoublePendulum& machine);

}  // namespace rhc
