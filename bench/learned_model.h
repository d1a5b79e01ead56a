// What a run of these settings plans its tasks with in the end.
#pragma once

#include "rhc/explore/campaign.h"
#include "rhc/explore/carry_out.h"

namespace rhc::bench {

inline DynamicsModel learned_model(const Config& config, const System& system) {
  Campaign campaign(config, system, 1);
  for (int episode = 1; episode <= config.episodes; ++episode) {
    const Proposal proposal = campaign.propose(episode, {});
    SimulatedPlant plant(system, noise_levels(config, system.spec()),
                         RandomStream(config.seed, "plant", static_cast<std::uint64_t>(episode)));
    const Policy policy = [&](const Vector& seen, int t) {
      return campaign.act(proposal, seen, t);
    };
    campaign.learn(proposal, carry_out(policy, plant, system.spec(), episode, {}));
  }
  return campaign.learner().task_model();
}

}  // namespace rhc::bench
