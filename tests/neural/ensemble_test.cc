#include "rhc/neural/ensemble.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/neural/gradients.h"

namespace rhc {
namespace {

// Observations x and actions a within -1 and 1; x moves by sin(3 x) + a, and a second one by
// nothing.
struct Data {
  Tensor inputs, outputs;
};

Data data(Index count, double from, double to, std::uint64_t seed) {
  RandomStream randomness(seed, "data");
  Tensor x = at::empty({count, 3}), y = at::zeros({count, 2});
  for (Index i = 0; i < count; ++i) {
    const double o = randomness.uniform(from, to), a = randomness.uniform(-1, 1);
    x[i][0] = o;
    x[i][1] = randomness.uniform(-1, 1);
    x[i][2] = a;
    y[i][0] = std::sin(3 * o) + a;
  }
  return {x, y};
}

constexpr Index kMembers = 5;
const EnsembleSettings kSmall{.members = kMembers, .hidden = {32, 32}, .batch = 32, .updates = 600};

TEST(Ensemble, LearnsWhatItWasShown) {
  const Data seen = data(400, -1, 1, 1), unseen = data(100, -1, 1, 2);
  EnsembleSettings settings = kSmall;
  settings.updates = 3000;
  const Ensemble ensemble(seen.inputs, seen.outputs, settings, RandomStream(1, "ensemble"));
  const EnsemblePrediction prediction = ensemble.predict(unseen.inputs);
  const Tensor truth = ensemble.output_scaling().apply(unseen.outputs);
  for (Index m = 0; m < kMembers; ++m)
    EXPECT_LT((prediction.means[m] - truth).square().mean().sqrt().item<double>(), 0.1) << m;
}

TEST(Ensemble, DisagreesWhereItHasSeenNothing) {
  const Data seen = data(400, -1, 0, 1), near = data(100, -1, 0, 2), far = data(100, 1, 2, 3);
  const Ensemble ensemble(seen.inputs, seen.outputs, kSmall, RandomStream(1, "ensemble"));
  const auto spread = [&](const Tensor& inputs) {
    return ensemble.predict(inputs).means.std(0, false).mean().item<double>();
  };
  EXPECT_GT(spread(far.inputs), 5 * spread(near.inputs));
}

TEST(Ensemble, VariancesKeepTheirBounds) {
  const Data seen = data(50, -1, 1, 1), far = data(50, 50, 100, 2);
  const Ensemble ensemble(seen.inputs, seen.outputs, kSmall, RandomStream(1, "ensemble"));
  const Tensor variances = ensemble.predict(far.inputs).variances.log();
  EXPECT_GE(variances.min().item<double>(), Ensemble::kLeastLogVariance - 1e-5);
  EXPECT_LE(variances.max().item<double>(), Ensemble::kMostLogVariance + 1e-5);
}

TEST(Ensemble, GradientOfItsLossIsThatOfFiniteDifferences) {
  const Data seen = data(40, -1, 1, 1);
  EnsembleSettings settings = kSmall;
  settings.updates = 3;
  Ensemble ensemble(seen.inputs, seen.outputs, settings, RandomStream(1, "ensemble"));
  const Tensor x = ensemble.input_scaling().apply(seen.inputs).expand({kMembers, -1, -1});
  const Tensor y = ensemble.output_scaling().apply(seen.outputs).expand({kMembers, -1, -1});
  expect_gradient_of([&] { return ensemble.likelihood_loss(x, y); }, ensemble.network(),
                     RandomStream(2, "directions"));
}

TEST(Ensemble, IsTheSameForTheSameStream) {
  const Data seen = data(60, -1, 1, 1);
  EnsembleSettings settings = kSmall;
  settings.updates = 20;
  Ensemble one(seen.inputs, seen.outputs, settings, RandomStream(1, "ensemble"));
  Ensemble same(seen.inputs, seen.outputs, settings, RandomStream(1, "ensemble"));
  Ensemble other(seen.inputs, seen.outputs, settings, RandomStream(2, "ensemble"));
  EXPECT_TRUE(one.network().parameters().equal(same.network().parameters()));
  EXPECT_FALSE(one.network().parameters().equal(other.network().parameters()));
}

TEST(Ensemble, AQuantityThatNeverVariesDoesNoHarm) {
  Data seen = data(60, -1, 1, 1);
  seen.inputs.select(1, 1).fill_(7);
  EnsembleSettings settings = kSmall;
  settings.updates = 20;
  const Ensemble ensemble(seen.inputs, seen.outputs, settings, RandomStream(1, "ensemble"));
  EXPECT_TRUE(std::isfinite(ensemble.loss()));
  EXPECT_EQ(ensemble.output_scaling().deviation[1].item<double>(), 0) << "so it cannot wander";
  EXPECT_TRUE(ensemble.predict(seen.inputs).means.isfinite().all().item<bool>());
}

TEST(Ensemble, StopsWhenLearningFails) {
  const Data seen = data(60, -1, 1, 1);
  EnsembleSettings settings = kSmall;
  settings.learning_rate = 1e30;
  const Ensemble ensemble(seen.inputs, seen.outputs, settings, RandomStream(1, "ensemble"));
  EXPECT_FALSE(std::isfinite(ensemble.loss()));
}

}  // namespace
}  // namespace rhc
