#include "rhc/neural/imagination.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rhc {
namespace {

// A point on a line that moves by its action, seen to the left of its start only.
Ensemble left_only() {
  RandomStream randomness(1, "data");
  const Index count = 300;
  Tensor inputs = at::empty({count, 2}), outputs = at::empty({count, 1});
  for (Index i = 0; i < count; ++i) {
    const double a = randomness.uniform(-1, 1);
    inputs[i][0] = randomness.uniform(-1, 0);
    inputs[i][1] = a;
    outputs[i][0] = 0.1 * a;
  }
  return {inputs,
          outputs,
          {.members = 5, .hidden = {32, 32}, .batch = 32, .updates = 400},
          RandomStream(1, "ensemble")};
}

ImaginedWorld line(double from, double to) {
  return {.start = Vector::Zero(1),
          .action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)},
          .limits = {Vector::Constant(1, from), Vector::Constant(1, to)},
          .angles = {},
          .horizon = 20};
}

Sac make_policy() {
  return {1,
          1,
          {.hidden = {32, 32}, .learning_rate = 3e-3, .batch = 64, .temperature = 1e-4},
          device_named("cpu"),
          RandomStream(1, "policy")};
}

TEST(Utility, IsNothingWhereMembersAgreeAndMoreWhereTheyDiffer) {
  const Tensor means = at::zeros({4, 2, 3}), variances = at::full({4, 2, 3}, 0.1);
  means.select(1, 1).add_(at::arange(4, at::kFloat).view({4, 1}));
  const Tensor result = utility({means, variances}, 0.1);
  EXPECT_NEAR(result[0].item<double>(), 0, 1e-6);
  EXPECT_GT(result[1].item<double>(), 0.5);
}

TEST(Imagination, TeachesThePolicyToGoWhereTheEnsembleKnowsNothing) {
  const Ensemble ensemble = left_only();
  Sac policy = make_policy();
  RandomStream randomness(2, "imagination");
  const ImaginedWorld world = line(-5, 5);
  const SacLosses losses =
      train_in_imagination(ensemble, world, {.actors = 16, .steps = 800}, policy, randomness);
  EXPECT_TRUE(losses.finite());
  const double middle = ensemble.input_scaling().mean[0].item<double>();
  const double deviation = ensemble.input_scaling().deviation[0].item<double>();
  for (const double x : {0.0, 0.3, 0.6})
    EXPECT_GT(policy.act(Vector::Constant(1, (x - middle) / deviation), nullptr)[0], 0.5) << x;
}

TEST(Imagination, EndsEpisodesAtTheLimits) {
  const Ensemble ensemble = left_only();
  Sac policy = make_policy();
  RandomStream randomness(3, "imagination");
  train_in_imagination(ensemble, line(-0.05, 0.05), {.actors = 16, .steps = 40}, policy,
                       randomness);
  const Batch batch = policy.memory().sample(400, randomness);
  const double middle = ensemble.input_scaling().mean[0].item<double>();
  const double deviation = ensemble.input_scaling().deviation[0].item<double>();
  const Tensor before = batch.observations.select(1, 0) * deviation + middle;
  const Tensor after = batch.next_observations.select(1, 0) * deviation + middle;
  EXPECT_LE(before.abs().max().item<double>(), 0.05 + 1e-5) << "nothing begins outside";
  EXPECT_TRUE((batch.continues == (after.abs() <= 0.05).to(at::kFloat)).all().item<bool>());
  EXPECT_LT(batch.continues.min().item<double>(), 0.5) << "some have left";
}

TEST(Imagination, KeepsAnglesOnTheirCircle) {
  RandomStream data(4, "data");
  const Tensor inputs = normals({100, 3}, data, at::kCPU),
               outputs = normals({100, 2}, data, at::kCPU);
  const Ensemble ensemble(inputs, outputs,
                          {.members = 3, .hidden = {8}, .batch = 16, .updates = 20},
                          RandomStream(1, "ensemble"));
  Sac policy(2, 1, {.hidden = {8}}, device_named("cpu"), RandomStream(1, "policy"));
  ImaginedWorld world{.start = Vector{{1, 0}},
                      .action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)},
                      .limits = Box::unbounded(2),
                      .angles = {{0, 1}},
                      .horizon = 10};
  RandomStream randomness(5, "imagination");
  train_in_imagination(ensemble, world, {.actors = 8, .steps = 30}, policy, randomness);
  const Batch batch = policy.memory().sample(100, randomness);
  const Scaling& seen = ensemble.input_scaling();
  const Tensor after =
      batch.next_observations * seen.deviation.narrow(0, 0, 2) + seen.mean.narrow(0, 0, 2);
  EXPECT_LT((after.square().sum(1) - 1).abs().max().item<double>(), 1e-4);
}

}  // namespace
}  // namespace rhc
