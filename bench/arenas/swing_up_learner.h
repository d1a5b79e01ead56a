// From knowing nothing to a swing-up: explore, then attempt the task and learn from every attempt.
#pragma once

#include <memory>

#include "bench/arenas/realaigym_trial.h"
#include "bench/arenas/swing_up_task.h"
#include "rhc/explore/campaign.h"

namespace rhc::bench {

struct SwingUpSettings {
  int explore = 3;                  // episodes
  int explore_steps = 100;          // of each
  double explore_change = 0.4;      // N m in a step
  double most = 4.5;                // N m, beyond which, too
  double hopeless = 0.1;            // of the cost of resting: no attempt with such a plan
  int inside = 1;                   // plans keep the limits
  double speed1 = 15, speed2 = 25;  // rad/s, beyond which an episode ends
  int attempts = 12, fewest = 3, attempt_steps = 125;
  // So many attempts whose cost was at most so many times the planned one end the learning.
  double enough = 1.03;
  int starts = 24, hops = 0, draws = 0;  // of plans of the task
  int iterations = 5;                    // of the controller, in a period
  int replan = 1;                        // 0: the plan goes on by its gains, to its end
  double control_change = 1.5;           // N m in a step, of feedback
  int hold_horizon = 50;                 // steps of its plans where it stands
  SwingUpTask hold{
      .horizon = 50, .angles = 1, .speed1 = 0.1, .speed2 = 0.1, .torque = 0.03, .change = 1};
  int known = 0;              // 1: the torque; 2: also that angles go on by their speeds
  int learn = 0, offset = 1;  // of the controller
  int watch = 0;              // 1: every attempt is scored, too
  int verbose = 0;
  std::vector<std::string> settings{};  // as for `rhc explore`
};

struct SwingUpLearned {
  std::unique_ptr<Campaign> campaign;
  SystemSpec spec{};   // with the task
  Matrix actions{};    // of the best plan
  double seconds = 0;  // of interaction
  int attempts = 0;
  double planned = 0;  // cost
};

SystemSpec swing_up_spec(const DoublePendulum& machine, const SwingUpSettings& settings);

SwingUpLearned learn_swing_up(const DoublePendulum& machine, const SwingUpTask& task,
                              const SwingUpSettings& settings, std::uint64_t seed);

// Ten seconds by this controller, which is started anew.
SwingUpRecord controlled(const DoublePendulum& machine, const SwingUpLearned& learned,
                         const SwingUpSettings& settings, int steps,
                         const TrialTroubles& troubles = {}, std::uint64_t seed = 1);

}  // namespace rhc::bench
