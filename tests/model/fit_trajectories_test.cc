#include "rhc/model/fit_trajectories.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/model/fit_model.h"
#include "tests/model/all_unknowns.h"
#include "tests/model/noisy_pendulum.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

const std::vector<AnglePair> kAngle = Pendulum{}.spec().angles;
const Vector kSensor = Eigen::Vector3d(0.02, 0.02, 0.1);
const NoiseSplit kNoise{kSensor, Eigen::Vector3d(0.004, 0.004, 0.02)};

Regression fitted_to(const std::vector<Transitions>& episodes, Index features, int seed) {
  const auto draw =
      draw_features(features, 4, RandomStream(static_cast<std::uint64_t>(seed), "features"));
  return fit_model(draw, concatenate(episodes), {.starts = 6}).model;
}

// Of the change in a step, at states and actions like those that were seen, without noise.
struct Truth {
  Matrix inputs, changes;

  explicit Truth(std::uint64_t seed) {
    const Transitions clean = concatenate(noisy_episodes({}, 3, 1000 + seed));
    inputs = clean.inputs;
    changes = clean.outputs;
  }
  double error(const Regression& regression) const {
    const Vector scale = standardization_of(changes).scale;
    return (scale.cwiseInverse().asDiagonal() * (regression.predict(inputs).mean - changes)).norm();
  }
};

TEST(FitTrajectories, ErrsLessThanTheRegressionItBeganWith) {
  double before = 0, after = 0;
  const int seeds = repeats(4, 20);
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto episodes = noisy_episodes({kSensor, {}}, 6, static_cast<std::uint64_t>(seed));
    Regression regression = fitted_to(episodes, 60, seed);
    const Truth truth(static_cast<std::uint64_t>(seed));
    before += std::log(truth.error(regression));
    fit_trajectories(regression, kNoise, kAngle, episodes, 0);
    after += std::log(truth.error(regression));
  }
  EXPECT_LT(after, before + seeds * std::log(0.8)) << "in the mean of " << seeds << " seeds";
}

TEST(FitTrajectories, EndsWhereADenseLeastSquaresOfAllUnknownsDoes) {
  std::vector<Transitions> episodes = noisy_episodes({kSensor, {}}, 2, 3);
  for (Transitions& episode : episodes) episode = some_steps(episode, 20, 15);
  Regression regression = fitted_to(episodes, 6, 3);
  AllUnknowns dense(regression, episodes, kNoise);
  const Vector measured = dense.measured();
  const Matrix begin = regression.groups[0].posterior.weights;
  const double best = dense.least(measured, begin, true);
  ASSERT_GT(dense.least(measured, begin, false), 1.1 * best) << "there is something to be gained";
  fit_trajectories(regression, kNoise, kAngle, episodes, 0);
  EXPECT_LT(dense.least(measured, regression.groups[0].posterior.weights, false), 1.01 * best);
}

TEST(FitTrajectories, FindsTheEndsOfEpisodesThatAreToldAsOne) {
  const auto episodes = noisy_episodes({kSensor, {}}, 3, 5);
  Regression apart = fitted_to(episodes, 30, 5), together = apart;
  fit_trajectories(apart, kNoise, kAngle, episodes, 0);
  fit_trajectories(together, kNoise, kAngle, {concatenate(episodes)}, 0);
  EXPECT_EQ(apart.groups[0].posterior.weights, together.groups[0].posterior.weights);
}

TEST(FitTrajectories, DrawsWeightsThatAreAsFarOffAsTheMeanIs) {
  double squares = 0, count = 0;
  for (int seed = 1; seed <= repeats(3, 15); ++seed) {
    const auto episodes = noisy_episodes({kSensor, {}}, 6, static_cast<std::uint64_t>(seed));
    Regression regression = fitted_to(episodes, 60, seed);
    const auto draws = fit_trajectories(regression, kNoise, kAngle, episodes, 40).draws;
    ASSERT_EQ(draws.size(), 40u);
    const Truth truth(static_cast<std::uint64_t>(seed));
    const Matrix mean = regression.predict(truth.inputs).mean;
    Matrix variance = Matrix::Zero(mean.rows(), mean.cols());
    for (const auto& weights : draws) {
      Regression drawn = regression;
      drawn.groups[0].posterior.weights = weights[0];
      variance += (drawn.predict(truth.inputs).mean - mean).cwiseAbs2() / 40;
    }
    squares += ((mean - truth.changes).cwiseAbs2().array() / variance.array()).cwiseMin(100).sum();
    count += static_cast<double>(mean.size());
    EXPECT_LT((draws[0][0] + draws[1][0] - 2 * regression.groups[0].posterior.weights).norm(),
              1e-9 * draws[0][0].norm())
        << "they come in pairs";
  }
  EXPECT_GT(std::sqrt(squares / count), 0.4);
  EXPECT_LT(std::sqrt(squares / count), 2.5);
}

TEST(TrajectoriesTellMore, WhereSensorsAreNoisyAndDataAreMany) {
  const auto noisy = noisy_episodes({kSensor, {}}, 4, 1), clean = noisy_episodes({}, 4, 1);
  const Regression of_noisy = fitted_to(noisy, 30, 1), of_clean = fitted_to(clean, 30, 1);
  EXPECT_TRUE(trajectories_tell_more(of_noisy, split_noise(of_noisy, noisy), 400));
  EXPECT_FALSE(trajectories_tell_more(of_noisy, split_noise(of_noisy, noisy), 29));
  EXPECT_FALSE(trajectories_tell_more(of_noisy, split_noise(of_noisy, noisy), 100'000'000));
  EXPECT_FALSE(trajectories_tell_more(of_clean, split_noise(of_clean, clean), 400));
  EXPECT_FALSE(trajectories_tell_more(of_noisy, {Vector::Zero(3), kSensor}, 400))
      << "all of it moves the system";
}

}  // namespace
}  // namespace rhc
