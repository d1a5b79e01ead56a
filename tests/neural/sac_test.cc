#include "rhc/neural/sac.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/store/archive.h"
#include "tests/learn_gym_pendulum.h"
#include "tests/neural/gradients.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

Sac make_sac(SacSettings settings, std::uint64_t seed = 1) {
  return {3, 2, std::move(settings), device_named("cpu"), RandomStream(seed, "sac")};
}

Batch random_batch(Index count, RandomStream& randomness) {
  return {normals({count, 3}, randomness, at::kCPU), uniforms({count, 2}, randomness, at::kCPU),
          normals({count}, randomness, at::kCPU), normals({count, 3}, randomness, at::kCPU),
          (normals({count}, randomness, at::kCPU) > 0).to(at::kFloat)};
}

// The policy's output, the squashed action, its density and the lesser of two critics, by hand.
struct Sampled {
  double log_density, value;
};

Sampled by_hand(Sac& sac, const Tensor& observation, const Tensor& noise, const Network& critics) {
  const Vector output = columns_of(sac.policy()(observation));
  Vector action(2);
  double log_density = 0;
  for (Index j = 0; j < 2; ++j) {
    const double e = noise[j].item<double>(), s = output[2 + j];
    action[j] = std::tanh(output[j] + std::exp(s) * e);
    log_density +=
        -e * e / 2 - s - std::log(2 * std::numbers::pi) / 2 - std::log(1 - action[j] * action[j]);
  }
  const Tensor input = at::cat({observation, rows_of(action, at::kCPU)}, 1).expand({2, 1, 5});
  return {log_density, critics(input).min().item<double>()};
}

TEST(Sac, TargetIsRewardAndDiscountedSoftValueOfWhatFollows) {
  Sac sac = make_sac({.discount = 0.9, .temperature = 0.3});
  RandomStream randomness(2, "batch");
  Batch batch = random_batch(4, randomness);
  batch.continues = at::tensor({1.0F, 0.0F, 1.0F, 0.0F});
  const Tensor noise = normals({4, 2}, randomness, at::kCPU);
  const Tensor targets = sac.critic_targets(batch, noise);
  for (Index i = 0; i < 4; ++i) {
    const double reward = batch.rewards[i].item<double>();
    if (i % 2 == 1) {
      EXPECT_FLOAT_EQ(targets[i].item<float>(), static_cast<float>(reward));
      continue;
    }
    const Sampled next =
        by_hand(sac, batch.next_observations.narrow(0, i, 1), noise[i], sac.target_critics());
    EXPECT_NEAR(targets[i].item<double>(), reward + 0.9 * (next.value - 0.3 * next.log_density),
                1e-4);
  }
}

TEST(Sac, GradientsOfItsLossesAreThoseOfFiniteDifferences) {
  Sac sac = make_sac({.hidden = {8, 8}, .temperature = 0.2});
  RandomStream randomness(3, "batch");
  const Batch batch = random_batch(16, randomness);
  const Tensor noise = normals({16, 2}, randomness, at::kCPU);
  const Tensor targets = sac.critic_targets(batch, noise);
  expect_gradient_of([&] { return sac.critic_loss(batch, targets); }, sac.critics(), randomness);
  expect_gradient_of([&] { return sac.policy_loss(batch.observations, noise).loss; }, sac.policy(),
                     randomness);
}

TEST(Sac, PolicyLossIsTemperatureTimesDensityLessTheLesserValue) {
  Sac sac = make_sac({.temperature = 0.4});
  RandomStream randomness(4, "batch");
  const Tensor observations = normals({3, 3}, randomness, at::kCPU);
  const Tensor noise = normals({3, 2}, randomness, at::kCPU);
  double expected = 0;
  for (Index i = 0; i < 3; ++i) {
    const Sampled sample = by_hand(sac, observations.narrow(0, i, 1), noise[i], sac.critics());
    expected += (0.4 * sample.log_density - sample.value) / 3;
  }
  EXPECT_NEAR(sac.policy_loss(observations, noise).loss.item<double>(), expected, 1e-4);
}

TEST(Sac, TargetsFollowTheCriticsByTau) {
  Sac sac = make_sac({.target_rate = 0.25});
  RandomStream randomness(5, "batch");
  sac.memory().add(random_batch(32, randomness));
  const Tensor before = sac.target_critics().parameters().clone();
  EXPECT_TRUE(before.equal(sac.critics().parameters())) << "they begin alike";
  sac.update(randomness);
  const Tensor expected = before * 0.75 + sac.critics().parameters() * 0.25;
  EXPECT_LT((sac.target_critics().parameters() - expected).abs().max().item<double>(), 1e-7);
}

TEST(Sac, TemperatureFallsWhileThePolicyIsTooRandomAndRisesWhenItIsNot) {
  // A fresh policy's entropy is above minus two. One with a tiny deviation is far below it.
  RandomStream randomness(6, "batch");
  Sac sac = make_sac({});
  sac.memory().add(random_batch(64, randomness));
  sac.update(randomness);
  EXPECT_LT(sac.temperature(), 1);

  Sac sure = make_sac({});
  sure.memory().add(random_batch(64, randomness));
  {
    const at::NoGradGuard no_gradient;
    Tensor bias = sure.policy().parts().back();
    bias.narrow(1, 2, 2).fill_(-10);
  }
  sure.update(randomness);
  EXPECT_GT(sure.temperature(), 1);
}

TEST(Sac, FindsTheBestActionOfABandit) {
  Sac sac =
      make_sac({.hidden = {32, 32}, .discount = 0, .learning_rate = 3e-3, .temperature = 0.01});
  RandomStream randomness(7, "bandit");
  Batch batch = random_batch(2000, randomness);
  batch.rewards = -(batch.actions - at::tensor({0.5F, -0.25F})).square().sum(1);
  sac.memory().add(batch);
  for (int i = 0; i < 1500; ++i) sac.update(randomness);
  const Vector action = sac.act(Vector{{0.1, -0.2, 0.3}}, nullptr);
  EXPECT_NEAR(action[0], 0.5, 0.1);
  EXPECT_NEAR(action[1], -0.25, 0.1);
}

TEST(Sac, GoesOnFromAnArchiveToTheLastBit) {
  RandomStream data(8, "batch");
  Sac sac = make_sac({.hidden = {16}});
  sac.memory().add(random_batch(50, data));
  RandomStream first(9, "updates");
  for (int i = 0; i < 10; ++i) sac.update(first);
  NamedValues archive;
  sac.save(archive, "sac");
  Sac again = make_sac({.hidden = {16}}, 77);
  again.restore(parse_archive(archive_bytes(archive), "test"), "sac");
  RandomStream one(10, "updates"), other(10, "updates");
  for (int i = 0; i < 10; ++i) {
    sac.update(one);
    again.update(other);
  }
  EXPECT_TRUE(sac.policy().parameters().equal(again.policy().parameters()));
  EXPECT_TRUE(sac.target_critics().parameters().equal(again.target_critics().parameters()));
  EXPECT_EQ(sac.temperature(), again.temperature());
}

TEST(Sac, SaysWhenLearningHasFailed) {
  Sac sac = make_sac({.learning_rate = 1e30});
  RandomStream randomness(11, "batch");
  sac.memory().add(random_batch(64, randomness));
  int updates = 1;
  while (sac.update(randomness).finite() && updates < 10) ++updates;
  EXPECT_LT(updates, 5);
}

// The bar is four of five seeds, which `make test-long` holds.
TEST(Sac, SwingsUpGymnasiumsPendulumOnManySeeds) {
  const int seeds = repeats(1, 5);
  int good = 0;
  for (int s = 1; s <= seeds; ++s) {
    const auto seed = static_cast<std::uint64_t>(s);
    const at::Device device = device_named("cpu");
    Sac sac(3, 1, {}, device, RandomStream(seed, "sac"));
    learn_gym_pendulum(sac, device, seed, 20000);
    RandomStream starts(seed, "evaluation");
    double mean = 0;
    for (int i = 0; i < 10; ++i) mean += gym_pendulum_return(sac, starts) / 10;
    RecordProperty("return of seed " + std::to_string(s), std::to_string(mean));
    if (mean >= -200) ++good;
  }
  EXPECT_GE(good, seeds == 1 ? 1 : 4);
}

}  // namespace
}  // namespace rhc
