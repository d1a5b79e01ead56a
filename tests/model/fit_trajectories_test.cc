#include "rhc/model/fit_trajectories.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "rhc/model/fit_model.h"
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

// Oracle: all states and weights as one vector of unknowns, derivatives by differences, least
// squares by QR.
struct AllUnknowns {
  Regression regression;
  const std::vector<Transitions>& episodes;
  Vector R = kNoise.sensor.cwiseAbs2(), Q = kNoise.process.cwiseAbs2();

  Vector residuals(const Vector& states, const Matrix& weights) {
    BayesianLinearModel& model = regression.groups[0].posterior;
    model.weights = weights;
    std::vector<double> all;
    Index at = 0;
    for (const auto& [inputs, outputs] : episodes) {
      const Index T = inputs.cols();
      const auto x = Eigen::Map<const Matrix>(states.data() + at, 3, T + 1);
      at += x.size();
      Matrix z = inputs;
      z.topRows(3) = x.leftCols(T);
      const Matrix gap = x.leftCols(T) + regression.predict(z).mean - x.rightCols(T);
      for (Index t = 0; t <= T; ++t)
        for (Index i = 0; i < 3; ++i) {
          const double measured = t < T ? inputs(i, t) : inputs(i, T - 1) + outputs(i, T - 1);
          all.push_back((measured - x(i, t)) / std::sqrt(R[i]));
          if (t < T) all.push_back(gap(i, t) / std::sqrt(Q[i]));
        }
      for (Index t = 1; t <= T; ++t)
        all.push_back((1 - std::hypot(x(0, t), x(1, t))) / std::sqrt(0.01 * (R[0] + R[1])));
    }
    for (Index j = 0; j < 3; ++j)
      for (const double w : weights.col(j))
        all.push_back(w * std::sqrt(model.prior_precision) / model.noise[j]);
    return Eigen::Map<Vector>(all.data(), static_cast<Index>(all.size()));
  }

  // The least cost that is found from here, over states alone or over both.
  double least(Vector states, Matrix weights, bool both) {
    double cost = residuals(states, weights).squaredNorm();
    for (int step = 0; step < 15; ++step) {
      const Index free = states.size() + (both ? weights.size() : 0);
      const auto moved = [&](const Vector& by) {
        Matrix w = weights;
        if (both) w.reshaped() += by.tail(weights.size());
        return residuals(states + by.head(states.size()), w);
      };
      const Vector here = moved(Vector::Zero(free));
      Matrix J(here.size(), free);
      for (Index k = 0; k < free; ++k)
        J.col(k) =
            (moved(1e-6 * Vector::Unit(free, k)) - moved(-1e-6 * Vector::Unit(free, k))) / 2e-6;
      const Vector by = -J.householderQr().solve(here);
      double length = 1;
      while (length > 1e-3 && moved(length * by).squaredNorm() > cost) length /= 2;
      states += length * by.head(states.size());
      if (both) weights.reshaped() += length * by.tail(weights.size());
      cost = residuals(states, weights).squaredNorm();
    }
    return cost;
  }
};

TEST(FitTrajectories, EndsWhereADenseLeastSquaresOfAllUnknownsDoes) {
  std::vector<Transitions> episodes = noisy_episodes({kSensor, {}}, 2, 3);
  for (Transitions& episode : episodes)
    episode = {episode.inputs.middleCols(20, 15), episode.outputs.middleCols(20, 15)};
  Regression regression = fitted_to(episodes, 6, 3);
  Vector measured(2 * 16 * 3);
  for (std::size_t e = 0; e < 2; ++e) {
    auto part = Eigen::Map<Matrix>(measured.data() + 48 * e, 3, 16);
    part.leftCols(15) = episodes[e].inputs.topRows(3);
    part.col(15) = part.col(14) + episodes[e].outputs.col(14);
  }
  AllUnknowns dense{regression, episodes};
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
    const auto draws = fit_trajectories(regression, kNoise, kAngle, episodes, 40);
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
