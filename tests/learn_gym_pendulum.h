// Soft actor-critic on Pendulum-v1, as stable-baselines3 runs it: 100 random steps, then a step and
// an update in turn.
#pragma once

#include "rhc/neural/sac.h"
#include "tests/gym_pendulum.h"

namespace rhc {

inline double gym_pendulum_return(const Sac& sac, RandomStream& starts) {
  GymPendulum pendulum;
  Vector observation = pendulum.reset(starts);
  double sum = 0;
  for (int t = 0; t < GymPendulum::kSteps; ++t) {
    sum += pendulum.step(sac.act(observation, nullptr)[0]);
    observation = pendulum.observe();
  }
  return sum;
}

inline void learn_gym_pendulum(Sac& sac, at::Device device, std::uint64_t seed, int steps) {
  constexpr int kRandomSteps = 100;
  RandomStream starts(seed, "starts"), actions(seed, "actions"), updates(seed, "updates");
  GymPendulum pendulum;
  Vector observation;
  for (int t = 0; t < steps; ++t) {
    if (t % GymPendulum::kSteps == 0) observation = pendulum.reset(starts);
    const Vector action = t < kRandomSteps ? Vector::Constant(1, actions.uniform(-1, 1))
                                           : sac.act(observation, &actions);
    const double reward = pendulum.step(action[0]);
    const Vector next = pendulum.observe();
    // The time limit is no end: the pendulum would go on.
    sac.memory().add({rows_of(observation, device), rows_of(action, device),
                      at::full({1}, reward, device), rows_of(next, device), at::ones({1}, device)});
    observation = next;
    if (t >= kRandomSteps) sac.update(updates);
  }
}

}  // namespace rhc
