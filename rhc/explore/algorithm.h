// The paper's Algorithm 1, once: propose, carry out, learn, judge.
#pragma once

#include <functional>

#include "rhc/explore/campaign.h"

namespace rhc {

enum class Phase { preparing, planning, acting, learning, judging };
const char* name(Phase phase);

// Who does the steps that a campaign leaves to others. A plant explores, a record replays, a person
// experiments by hand.
struct Steps {
  std::function<Proposal(int episode)> propose;
  std::function<Trajectory(const Proposal&)> carry_out;
  std::function<void(const DynamicsModel*, MetricsRow&)> judge;
  std::function<bool()> stop_requested{};  // asked while learning; Interrupted is then thrown
};

// Who is told of every step: a run on disk, a screen. Whatever is thrown ends the algorithm.
class Follower {
 public:
  virtual ~Follower() = default;

  virtual void enter(int /*episode*/, Phase) {}
  virtual void proposed(const Proposal&) {}
  virtual void seen(const Proposal&, const Trajectory&) {}
  virtual void learned(MetricsRow&) {}  // and judged: the row is complete
};

// The same for those who only want to know the end: nobody judges, and nobody follows. Until so
// many episodes were told.
void explore_to_end(Campaign& campaign, const std::function<Trajectory(const Proposal&)>& carry_out,
                    int episodes);

// Until so many episodes were told.
void algorithm_1(Campaign& campaign, const Steps& steps, Follower& follower, int episodes);

}  // namespace rhc
