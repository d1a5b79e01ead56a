#include "rhc/neural/sac.h"

#include <cmath>
#include <utility>

#include "rhc/neural/squashed_gaussian.h"

namespace rhc {

namespace {

struct PolicyOutput {
  Tensor mean, log_deviation;
};

PolicyOutput policy_output(const Network& policy, const Tensor& observations) {
  constexpr double kLeast = -20, kMost = 2;
  const Tensor both = policy(observations);
  const Index m = both.size(1) / 2;
  return {both.narrow(1, 0, m), both.narrow(1, m, m).clamp(kLeast, kMost)};
}

}  // namespace

NetworkShape policy_shape(Index observations, Index actions, const SacSettings& settings) {
  return network_shape(1, observations, settings.hidden, 2 * actions, Activation::relu);
}

bool SacLosses::finite() const {
  return std::isfinite(critic) && std::isfinite(actor) && std::isfinite(temperature);
}

Sac::Sac(Index observations, Index actions, SacSettings settings, at::Device device,
         RandomStream randomness)
    : actions_(actions),
      settings_(std::move(settings)),
      device_(device),
      policy_(policy_shape(observations, actions, settings_), randomness, device),
      critics_(network_shape(2, observations + actions, settings_.hidden, 1, Activation::relu),
               randomness, device),
      target_critics_(critics_.shape(), randomness, device),
      policy_optimizer_(policy_, {settings_.learning_rate}),
      critic_optimizer_(critics_, {settings_.learning_rate}),
      temperature_optimizer_{settings_.learning_rate},
      memory_(observations, actions, settings_.buffer, device) {
  target_critics_.approach(critics_, 1);
}

double Sac::temperature() const {
  return settings_.temperature.value_or(std::exp(log_temperature_));
}

Tensor Sac::act(const Tensor& observations, RandomStream* randomness) const {
  const at::NoGradGuard no_gradient;
  const PolicyOutput output = policy_output(policy_, observations);
  if (!randomness) return at::tanh(output.mean);
  return squashed_sample(output.mean, output.log_deviation,
                         normals(output.mean.sizes(), *randomness, device_))
      .actions;
}

Vector Sac::act(const Vector& observation, RandomStream* randomness) const {
  return columns_of(act(rows_of(observation, device_), randomness));
}

// 2 x batch.
Tensor Sac::values(const Network& critics, const Tensor& observations,
                   const Tensor& actions) const {
  const Tensor inputs = at::cat({observations, actions}, 1);
  return critics(inputs.unsqueeze(0).expand({2, -1, -1})).squeeze(2);
}

Tensor Sac::critic_targets(const Batch& batch, const Tensor& noise) const {
  const at::NoGradGuard no_gradient;
  const PolicyOutput output = policy_output(policy_, batch.next_observations);
  const SquashedSample next = squashed_sample(output.mean, output.log_deviation, noise);
  const Tensor value = values(target_critics_, batch.next_observations, next.actions).amin(0);
  const Tensor soft = at::sub(value, next.log_density, temperature());
  return at::addcmul(batch.rewards, batch.continues, soft, settings_.discount);
}

Tensor Sac::critic_loss(const Batch& batch, const Tensor& targets) const {
  const Tensor error = values(critics_, batch.observations, batch.actions) - targets;
  return error.square().mean();
}

Sac::PolicyLoss Sac::policy_loss(const Tensor& observations, const Tensor& noise) const {
  const PolicyOutput output = policy_output(policy_, observations);
  const SquashedSample sample = squashed_sample(output.mean, output.log_deviation, noise);
  const Tensor value = values(critics_, observations, sample.actions).amin(0);
  return {at::sub(sample.log_density * temperature(), value).mean(), sample.log_density.detach()};
}

SacLosses Sac::update(RandomStream& randomness) {
  const Batch batch = memory_.sample(settings_.batch, randomness);
  const auto noise = [&] { return normals({settings_.batch, actions_}, randomness, device_); };

  const Tensor critic = critic_loss(batch, critic_targets(batch, noise()));
  critic_optimizer_.descend(critic, critics_);

  const PolicyLoss policy = policy_loss(batch.observations, noise());
  policy_optimizer_.descend(policy.loss, policy_);

  target_critics_.approach(critics_, settings_.target_rate);

  SacLosses losses{critic.item<double>(), policy.loss.item<double>(), 0};
  if (!settings_.temperature) {
    // The entropy is held at minus the number of actions.
    const double excess = -policy.log_density.mean().item<double>() + static_cast<double>(actions_);
    temperature_optimizer_.descend(excess, log_temperature_);
    losses.temperature = log_temperature_ * excess;
  }
  return losses;
}

void Sac::save(NamedValues& archive, const std::string& name) const {
  policy_.save(archive, name + "/policy");
  critics_.save(archive, name + "/critics");
  target_critics_.save(archive, name + "/target_critics");
  policy_optimizer_.save(archive, name + "/policy/optimizer");
  critic_optimizer_.save(archive, name + "/critics/optimizer");
  archive.put(name + "/log_temperature", Matrix::Constant(1, 1, log_temperature_));
  temperature_optimizer_.save(archive, name + "/log_temperature/optimizer");
  memory_.save(archive, name + "/memory");
}

void Sac::restore(const NamedValues& archive, const std::string& name) {
  policy_.restore(archive, name + "/policy");
  critics_.restore(archive, name + "/critics");
  target_critics_.restore(archive, name + "/target_critics");
  policy_optimizer_.restore(archive, name + "/policy/optimizer");
  critic_optimizer_.restore(archive, name + "/critics/optimizer");
  log_temperature_ = archive.number(name + "/log_temperature");
  temperature_optimizer_.restore(archive, name + "/log_temperature/optimizer");
  memory_.restore(archive, name + "/memory");
}

}  // namespace rhc
