#include "rhc/explore/algorithm.h"

#include "rhc/core/stopwatch.h"

namespace rhc {

const char* name(Phase phase) {
  switch (phase) {
    case Phase::preparing:
      return "preparing";
    case Phase::planning:
      return "planning";
    case Phase::acting:
      return "acting";
    case Phase::learning:
      return "learning";
    default:
      return "judging";
  }
}

void algorithm_1(Campaign& campaign, const Steps& steps, Follower& follower, int episodes) {
  while (campaign.told() < episodes) {
    const int episode = campaign.told() + 1;

    // Decide what to try.
    follower.enter(episode, Phase::planning);
    const Stopwatch planning;
    const Proposal proposal = steps.propose(episode);
    const double plan_seconds = planning.seconds();
    follower.proposed(proposal);

    // Try it, and keep what was seen before anything else can fail.
    follower.enter(episode, Phase::acting);
    const Trajectory seen = steps.carry_out(proposal);
    follower.seen(proposal, seen);

    // Learn from it.
    follower.enter(episode, Phase::learning);
    const Stopwatch fitting;
    MetricsRow row = campaign.learn(proposal, seen, steps.stop_requested);
    row.plan_seconds += plan_seconds;
    row.fit_seconds = fitting.seconds();

    // Judge what is believed now.
    follower.enter(episode, Phase::judging);
    const Stopwatch evaluating;
    steps.judge(campaign.model(), row);
    row.evaluate_seconds = evaluating.seconds();
    follower.learned(row);
  }
}

void explore_to_end(Campaign& campaign, const std::function<Trajectory(const Proposal&)>& carry_out,
                    int episodes) {
  Follower nobody;
  algorithm_1(campaign,
              {.propose = [&](int) { return campaign.ask(); },
               .carry_out = carry_out,
               .judge = [](const DynamicsModel*, MetricsRow&) {}},
              nobody, episodes);
}

}  // namespace rhc
