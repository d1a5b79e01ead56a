#include "rhc/model/noise_split.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/model/fit_model.h"
#include "tests/model/noisy_pendulum.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

NoiseSplit split_of(const NoiseLevels& noise, std::uint64_t seed) {
  const std::vector<Transitions> episodes = noisy_episodes(noise, 6, seed);
  EvidenceSettings settings;
  settings.starts = 8;
  const FittedModel fitted = fit_model(draw_features(60, 4, RandomStream(seed, "features")),
                                       concatenate(episodes), settings);
  return split_noise(Regression(fitted.model), episodes);
}

TEST(SplitNoise, FindsTheNoiseOfTheSensors) {
  const Vector sensor = Eigen::Vector3d(0.02, 0.02, 0.1);
  for (int seed = 1; seed <= repeats(3, 20); ++seed) {
    const NoiseSplit split = split_of({sensor, {}}, static_cast<std::uint64_t>(seed));
    for (Index i = 0; i < 3; ++i) {
      EXPECT_NEAR(split.sensor[i], sensor[i], 0.5 * sensor[i]) << i << ", seed " << seed;
      EXPECT_LT(split.process[i], sensor[i]) << i << ", seed " << seed;
    }
  }
}

TEST(SplitNoise, TakesWhatMovesTheSystemForNoSensors) {
  for (int seed = 1; seed <= repeats(3, 20); ++seed) {
    const NoiseSplit split =
        split_of({{}, Eigen::Vector2d(0, 0.3)}, static_cast<std::uint64_t>(seed));
    EXPECT_LT(split.sensor[2], 0.1) << "seed " << seed;
    EXPECT_NEAR(split.process[2], 0.3, 0.06) << "seed " << seed;
  }
}

TEST(SplitNoise, IsInterruptedBetweenEpisodes) {
  const std::vector<Transitions> episodes = noisy_episodes({}, 3, 1);
  const Transitions all = concatenate(episodes);
  const BayesianLinearModel prior(draw_features(20, 4, RandomStream(1, "features")),
                                  {Vector::Ones(4), 1, Vector::Constant(3, 0.1)},
                                  standardization_of(all.outputs));
  int asked = 0;
  const StopSignal stop([&] { return ++asked == 3; });
  EXPECT_THROW(split_noise(Regression(prior), episodes, stop), Interrupted);
}

TEST(SplitNoise, OfOneTransitionTellsNothingApart) {
  const std::vector<Transitions> episodes = noisy_episodes({}, 1, 1);
  EvidenceSettings settings;
  settings.starts = 2;
  const FittedModel fitted =
      fit_model(draw_features(20, 4, RandomStream(1, "features")), concatenate(episodes), settings);
  const Regression regression(fitted.model);
  const NoiseSplit split =
      split_noise(regression, {{episodes[0].inputs.leftCols(1), episodes[0].outputs.leftCols(1)}});
  EXPECT_EQ(split.sensor, Vector::Zero(3));
  EXPECT_EQ(split.process, regression.noise_variance().cwiseSqrt());
}

}  // namespace
}  // namespace rhc
