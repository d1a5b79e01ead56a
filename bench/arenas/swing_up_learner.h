// From knowing nothing to a swing-up: explore, then attempt the task and learn from every attempt.
#pragma once

#include <memory>

#include "bench/arenas/realaigym_trial.h"
#include "bench/arenas/swing_up_task.h"
#include "rhc/explore/campaign.h"

namespace rhc::bench {

struct SwingUpSettings {
  // Exploring: episodes, their steps, N m in a step, and rad/s and N m that end an episode.
  int explore = 8, explore_steps = 100;
  double explore_change = 0.2, speed1 = 12, speed2 = 18, most = 4.5;

  // Attempts, and their steps. So many whose cost was at most so many times the planned one end the
  // learning. Where a plan costs more than this share of resting, there is no attempt with it:
  // another episode explores.
  int attempts = 18, attempt_steps = 125, fewest = 3;
  double enough = 1.03, hopeless = 0.3;

  // Plans of the task: searches, disturbed ones after them, systems that they are made for, whether
  // they keep the limits above.
  int starts = 150, hops = 30, draws = 0, inside = 1;

  // Feedback: iterations of a plan in a step, steps after which it is made anew, N m in a step.
  int iterations = 5, replan = 1;
  double control_change = 1.5;
  // Where it stands: steps of plans, and the task.
  int hold_horizon = 50, learn = 0, offset = 1;
  SwingUpTask hold{
      .horizon = 50, .angles = 1, .speed1 = 0.1, .speed2 = 0.1, .torque = 0.03, .change = 1};

  int known = 2;    // 1: the torque is what was asked for; 2: and angles go on by their speeds
  int watch = 0;    // 1: every attempt is scored, too
  int verbose = 0;  // 1: attempts, 2: steps
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
