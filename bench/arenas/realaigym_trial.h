// A trial on RealAIGym's simulated machine: ten seconds from hanging, recorded every 2 ms.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rhc/core/random.h"
#include "rhc/evaluate/realaigym_score.h"

namespace rhc::bench {

// What the robustness tests of its repository do to the machine.
struct TrialTroubles {
  double speed_noise = 0;               // rad/s, deviation of the measured speeds
  double torque_noise = 0;              // N m, deviation of what the motor does
  double response = 1;                  // share of a change of torque that the motor does in 2 ms
  double delay = 0;                     // s, of measurements
  std::vector<Eigen::Vector2d> push{};  // N m on both joints, every 2 ms
};

// The change of torque over the next step, by what is observed at its beginning.
using TorquePolicy = std::function<double(const Vector& observation, int step)>;

SwingUpRecord swing_up(const DoublePendulum& machine, const TorquePolicy& policy, int steps,
                       const TrialTroubles& troubles = {}, std::uint64_t seed = 1);

// Gaussian knocks at three random moments on each joint.
std::vector<Eigen::Vector2d> random_knocks(double seconds, double every, RandomStream randomness);

// With the column names of its simulator, for its own scorer.
void write_realaigym_csv(const SwingUpRecord& record, const std::string& file);
SwingUpRecord read_realaigym_csv(const std::string& file);

}  // namespace rhc::bench
