#include "rhc/model/fit_regression.h"

#include <gtest/gtest.h>

#include "tests/repeats.h"

namespace rhc {
namespace {

// Two outputs of two inputs: a bent one with hardly any noise, and a straight one with much.
Transitions unlike_outputs(Index count, std::uint64_t seed) {
  RandomStream randomness(seed, "unlike outputs");
  Transitions data{Matrix(2, count), Matrix(2, count)};
  for (double& x : data.inputs.reshaped()) x = randomness.uniform(-2, 2);
  for (Index t = 0; t < count; ++t) {
    data.outputs(0, t) = std::sin(3 * data.inputs(0, t)) + 1e-3 * randomness.normal();
    data.outputs(1, t) = 0.7 * data.inputs(1, t) + 0.3 * randomness.normal();
  }
  return data;
}

FeatureDraws draws(std::uint64_t seed) {
  FeatureDraws all{draw_features(60, 2, RandomStream(seed, "features"))};
  for (std::uint64_t j = 0; j < 2; ++j)
    all.by_output.push_back(draw_features(40, 2, RandomStream(seed, "of an output", j)));
  return all;
}

TEST(FitRegression, GivesUnlikeOutputsTheirOwnNoise) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(repeats(4, 30)); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const FittedRegression fitted =
        fit_regression(draws(seed), unlike_outputs(120, seed), Sharing::separate, {.seed = seed});
    const Vector noise = fitted.regression.noise_variance().cwiseSqrt();
    EXPECT_NEAR(noise[0], 1e-3, 4e-4);
    EXPECT_NEAR(noise[1], 0.3, 0.06);
  }
}

TEST(FitRegression, TakesWhatTheEvidencePrefers) {
  const Transitions data = unlike_outputs(80, 3);
  const FittedRegression shared = fit_regression(draws(3), data, Sharing::shared, {}),
                         separate = fit_regression(draws(3), data, Sharing::separate, {}),
                         chosen = fit_regression(draws(3), data, Sharing::evidence, {});
  EXPECT_EQ(chosen.log_evidence, std::max(shared.log_evidence, separate.log_evidence));
  EXPECT_EQ(chosen.regression.shared(), shared.log_evidence >= separate.log_evidence);
  // Both are remembered, for the next choice.
  EXPECT_EQ(chosen.last.shared->bandwidth, shared.last.shared->bandwidth);
  EXPECT_EQ(chosen.last.by_output[1].bandwidth, separate.last.by_output[1].bandwidth);
}

}  // namespace
}  // namespace rhc
