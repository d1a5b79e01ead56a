#include "rhc/model/trajectory_evidence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/model/fit_regression.h"
#include "rhc/model/fit_trajectories.h"
#include "tests/model/all_unknowns.h"
#include "tests/model/noisy_pendulum.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

const std::vector<AnglePair> kCircle = Pendulum{}.spec().angles;
const Vector kOfSensors = Eigen::Vector3d(0.02, 0.02, 0.1);
const NoiseSplit kSplit{kOfSensors, Eigen::Vector3d(0.004, 0.004, 0.02)};

Regression regression_of(const std::vector<Transitions>& episodes, Index features, int seed,
                         Sharing sharing = Sharing::shared) {
  const auto draw = [&](const char* name) {
    return draw_features(features, 4, RandomStream(static_cast<std::uint64_t>(seed), name));
  };
  const FeatureDraws draws{draw("all"), {draw("a"), draw("b"), draw("c")}};
  return fit_regression(draws, concatenate(episodes), sharing, {.starts = 6}).regression;
}

TrajectoryEvidence found_evidence(Regression& regression,
                                  const std::vector<Transitions>& episodes) {
  const auto pieces = fit_trajectories(regression, kSplit, kCircle, episodes, 0).pieces;
  return {regression, TrajectoryFilter(regression, kSplit, kCircle), pieces};
}

TEST(TrajectoryEvidence, IsTheDeterminantOfADenseProblemInStatesAndWeights) {
  std::vector<Transitions> episodes = noisy_episodes({kOfSensors, {}}, 2, 3);
  for (Transitions& episode : episodes) episode = some_steps(episode, 20, 12);
  Regression regression = regression_of(episodes, 5, 3);
  auto pieces = fit_trajectories(regression, kSplit, kCircle, episodes, 0).pieces;
  TrajectoryEvidence evidence(regression, TrajectoryFilter(regression, kSplit, kCircle), pieces);

  // One more step of the dense problem from what was found, and what it says of all unknowns.
  AllUnknowns dense(regression, episodes, kSplit);
  std::vector<double> states;
  for (const Piece& piece : pieces)
    for (const double x : piece.states.reshaped()) states.push_back(x);
  const Vector x = Eigen::Map<Vector>(states.data(), static_cast<Index>(states.size()));
  const BayesianLinearModel& model = regression.groups[0].posterior;
  const Matrix J = dense.jacobian(x, model.weights, true);
  const Vector here = dense.residuals(x, model.weights);
  const Vector left = here - J * J.householderQr().solve(here);
  const Eigen::HouseholderQR<Matrix> qr(J);
  double expected =
      -0.5 * left.squaredNorm() - qr.matrixQR().diagonal().head(J.cols()).array().abs().log().sum();
  for (Index j = 0; j < 3; ++j)
    expected += 0.5 * 5 * std::log(model.prior_precision / std::pow(model.noise[j], 2));
  expected -= 0.5 * 2 * 13 * kSplit.sensor.cwiseAbs2().array().log().sum() +
              0.5 * 2 * 12 * kSplit.process.cwiseAbs2().array().log().sum() +
              0.5 * 2 * 12 * std::log(0.01 * 2 * 0.02 * 0.02);
  EXPECT_NEAR(evidence.value(evidence.theta(), nullptr), expected, 1e-3);
}

TEST(TrajectoryEvidence, HasTheSlopeThatDifferencesShow) {
  for (const Sharing sharing : {Sharing::shared, Sharing::separate}) {
    const auto episodes = noisy_episodes({kOfSensors, {}}, 2, 4);
    Regression regression = regression_of(episodes, 12, 4, sharing);
    TrajectoryEvidence evidence = found_evidence(regression, episodes);
    // Away from where it is flat.
    Vector theta = evidence.theta();
    for (Index k = 0; k < theta.size(); ++k) theta[k] += 0.3 * std::sin(static_cast<double>(k));
    Vector slope(theta.size());
    evidence.value(theta, slope.data());
    for (Index k = 0; k < theta.size(); ++k) {
      const Vector by = 1e-4 * Vector::Unit(theta.size(), k);
      const double difference =
          (evidence.value(theta + by, nullptr) - evidence.value(theta - by, nullptr)) / 2e-4;
      EXPECT_NEAR(slope[k], difference, 1e-4 * slope.cwiseAbs().maxCoeff() + 1e-4)
          << "parameter " << k << (sharing == Sharing::shared ? ", shared" : ", separate");
    }
  }
}

TEST(TrajectoryEvidence, SaysWithWhichHyperparameters) {
  const auto episodes = noisy_episodes({kOfSensors, {}}, 2, 5);
  for (const Sharing sharing : {Sharing::shared, Sharing::separate}) {
    Regression regression = regression_of(episodes, 8, 5, sharing);
    TrajectoryEvidence evidence = found_evidence(regression, episodes);
    const auto by_group = evidence.hyperparameters(evidence.theta());
    ASSERT_EQ(by_group.size(), regression.groups.size());
    for (std::size_t g = 0; g < by_group.size(); ++g) {
      const Hyperparameters given = regression.groups[g].posterior.hyperparameters();
      EXPECT_LT((by_group[g].bandwidth - given.bandwidth).norm(), 1e-9 * given.bandwidth.norm());
      EXPECT_NEAR(by_group[g].prior_precision / given.prior_precision, 1, 1e-9);
      EXPECT_EQ(by_group[g].noise, given.noise);
      EXPECT_NEAR(by_group[g].affine_precision, given.affine_precision,
                  1e-9 * given.affine_precision);
    }
  }
}

// The mean of the logs of errors on clean data, with and without fitted hyperparameters.
TEST(MaximizeTrajectoryEvidence, LeadsToWeightsThatErrLess) {
  double before = 0, after = 0;
  const int seeds = repeats(3, 20);
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto episodes = noisy_episodes({kOfSensors, {}}, 4, static_cast<std::uint64_t>(seed));
    const Transitions truth =
        concatenate(noisy_episodes({}, 3, 1000 + static_cast<std::uint64_t>(seed)));
    const Vector scale = standardization_of(truth.outputs).scale;
    const auto log_error = [&](Regression regression, const NoiseSplit& noise) {
      fit_trajectories(regression, noise, kCircle, episodes, 0);
      return std::log((scale.cwiseInverse().asDiagonal() *
                       (regression.predict(truth.inputs).mean - truth.outputs))
                          .norm());
    };
    const Regression regression = regression_of(episodes, 60, seed);
    const NoiseSplit split = split_noise(regression, episodes);
    before += log_error(regression, split);
    const auto [by_group, noise] =
        maximize_trajectory_evidence(regression, split, kCircle, episodes, {});
    const BayesianLinearModel& old = regression.groups[0].posterior;
    Regression fitted(BayesianLinearModel(old.features, by_group[0], old.outputs));
    fitted.learn(concatenate(episodes));
    after += log_error(fitted, noise);
  }
  EXPECT_LT(after, before + seeds * std::log(0.9)) << "in the mean of " << seeds << " seeds";
}

TEST(MaximizeTrajectoryEvidence, TellsAMotionWithoutNoiseFromOneWithNoise) {
  const Vector in_motion = Eigen::Vector2d(0.02, 0.1);  // of the angle and its speed
  const auto found = [&](const NoiseLevels& levels) {
    const auto episodes = noisy_episodes(levels, 4, 7);
    const Regression regression = regression_of(episodes, 40, 7);
    // As if a fifth of the sensors' noise moved the system.
    const NoiseSplit guess{kOfSensors, 0.2 * kOfSensors};
    return maximize_trajectory_evidence(regression, guess, kCircle, episodes, {}).noise.process;
  };
  const Vector still = found({kOfSensors, {}}), moved = found({kOfSensors, in_motion});
  for (Index i = 0; i < 3; ++i) EXPECT_LT(4 * still[i], moved[i]) << i;
  EXPECT_LT(still[2], 0.01);
}

TEST(MaximizeTrajectoryEvidence, BeginsWhereTheLastOneEndedIfThatIsBetter) {
  const auto episodes = noisy_episodes({kOfSensors, {}}, 3, 8);
  const Regression regression = regression_of(episodes, 30, 8);
  const auto first = maximize_trajectory_evidence(regression, kSplit, kCircle, episodes, {});
  const auto again =
      maximize_trajectory_evidence(regression, kSplit, kCircle, episodes, first.by_group);
  Regression found = regression;
  TrajectoryEvidence evidence = found_evidence(found, episodes);
  const auto value = [&](const Hyperparameters& at) {
    Vector theta(5);
    theta << at.bandwidth.array().log(), std::log(at.prior_precision);
    return evidence.value(theta, nullptr);
  };
  EXPECT_GT(value(again.by_group[0]), value(first.by_group[0]) - 2);
}

}  // namespace
}  // namespace rhc
