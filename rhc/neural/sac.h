// Soft actor-critic (Haarnoja et al. 2018): twin critics with targets that follow slowly, a policy
// of squashed Gaussians, and a temperature that holds the policy's entropy. Knows nothing of where
// transitions and rewards come from. Actions are within (-1, 1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/neural/adam.h"
#include "rhc/neural/replay_buffer.h"

namespace rhc {

struct SacSettings {
  std::vector<Index> hidden = {64, 64};
  double discount = 0.99;      // gamma
  double target_rate = 0.005;  // tau
  double learning_rate = 3e-4;
  Index buffer = 50000;
  Index batch = 64;
  std::optional<double> temperature{};  // fixed; otherwise it is learned
};

// Mean and logarithm of the deviation of every action.
NetworkShape policy_shape(Index observations, Index actions, const SacSettings& settings);

struct SacLosses {
  double critic = 0, actor = 0, temperature = 0;

  bool finite() const;
};

class Sac {
 public:
  Sac(Index observations, Index actions, SacSettings settings, at::Device device,
      RandomStream randomness);

  // One action a row: a sample, or without randomness the middle of the policy.
  Tensor act(const Tensor& observations, RandomStream* randomness) const;
  Vector act(const Vector& observation, RandomStream* randomness) const;

  ReplayBuffer& memory() { return memory_; }
  double temperature() const;
  bool finite() const { return policy_.finite() && critics_.finite(); }

  // One gradient step of critics, policy and temperature on a batch from memory. Losses that are
  // not finite mean that learning has failed.
  SacLosses update(RandomStream& randomness);

  // The parts of an update, for standard normal noise of the actions' shape.
  Tensor critic_targets(const Batch& batch, const Tensor& noise) const;
  Tensor critic_loss(const Batch& batch, const Tensor& targets) const;
  struct PolicyLoss {
    Tensor loss;
    Tensor log_density;
  };
  PolicyLoss policy_loss(const Tensor& observations, const Tensor& noise) const;

  Network& policy() { return policy_; }
  Network& critics() { return critics_; }
  Network& target_critics() { return target_critics_; }

  void save(NamedValues& archive, const std::string& name) const;
  void restore(const NamedValues& archive, const std::string& name);

 private:
  Tensor values(const Network& critics, const Tensor& observations, const Tensor& actions) const;

  Index actions_;
  SacSettings settings_;
  at::Device device_;
  Network policy_, critics_, target_critics_;
  Adam policy_optimizer_, critic_optimizer_;
  double log_temperature_ = 0;
  ScalarAdam temperature_optimizer_;
  ReplayBuffer memory_;
};

}  // namespace rhc
