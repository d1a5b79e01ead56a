// Logs that tell little or nothing: what a campaign believes after them.
#include <gtest/gtest.h>

#include <functional>

#include "rhc/explore/campaign.h"

namespace rhc {
namespace {

// A mass that is pushed, with friction; `unit` is what a number of its speed means.
struct PushedMass {
  double unit = 1;

  SystemSpec spec() const {
    return {.name = "mass",
            .title = "mass that is pushed",
            .state = {{"place", "m"}, {"speed", "m/s"}},
            .observation = {{"place", "m"}, {"speed", "m/s"}},
            .action = {{"push", "N"}},
            .angles = {},
            .action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)},
            .limits = Box::unbounded(2),
            .time_step = 0.1,
            .horizon = 30,
            .start = Vector::Zero(2),
            .region = {Eigen::Vector2d(-1, -unit), Eigen::Vector2d(1, unit)},
            .task = {.target = Vector::Zero(2),
                     .weight = Vector::Ones(2),
                     .action_weight = Vector::Ones(1)}};
  }
  Vector observe(const Vector& state) const { return state; }
  Vector step(const Vector& state, const Vector& action) const {
    const double v = state[1] / unit;
    return Eigen::Vector2d(state[0] + 0.1 * v, unit * (v + 0.1 * (action[0] - 0.5 * v)));
  }
};

Trajectory pushed(const PushedMass& mass, int seed, Index steps = 30) {
  RandomStream randomness(static_cast<std::uint64_t>(seed), "pushes");
  Trajectory seen{Matrix(2, steps + 1), Matrix(1, steps)};
  seen.observations.col(0).setZero();
  for (Index t = 0; t < steps; ++t) {
    seen.actions(0, t) = t % 5 == 0 ? randomness.uniform(-1, 1) : seen.actions(0, t - 1);
    seen.observations.col(t + 1) = mass.step(seen.observations.col(t), seen.actions.col(t));
  }
  return seen;
}

Config quick() {
  Config config;
  config.model.features = 30;
  config.model.forecast_features = 60;
  config.model.evidence_starts = 8;
  config.plan.starts = 4;
  return config;
}

// Learns from three such logs, and asks for the next episode.
Proposal after(const PushedMass& mass, const std::function<Trajectory(int seed)>& log) {
  Campaign campaign(quick(), mass, 1);
  for (int i = 1; i <= 3; ++i) campaign.learn(campaign.propose(i, {.announced = true}), log(i));
  const Proposal next = campaign.propose(4, {.announced = true});
  EXPECT_TRUE(next.actions.allFinite());
  EXPECT_LE(next.actions.cwiseAbs().maxCoeff(), 1);
  EXPECT_TRUE(next.forecast && next.forecast->mean.allFinite() &&
              next.forecast->deviation.allFinite());
  return next;
}

// At the end of the plan, in halves of the region of interest.
Vector doubt(const PushedMass& mass, const Proposal& next) {
  return next.forecast->deviation.rightCols(1).cwiseQuotient(Eigen::Vector2d(1, mass.unit));
}

TEST(BadData, IsNotGood) {
  const PushedMass mass;
  const Proposal next = after(mass, [&](int seed) { return pushed(mass, seed); });
  EXPECT_LT(doubt(mass, next).maxCoeff(), 0.05) << "or the other tests claim nothing";
}

TEST(BadData, OfAFrozenSensorLeavesDoubt) {
  const PushedMass mass;
  const Proposal next = after(mass, [&](int seed) {
    Trajectory seen = pushed(mass, seed);
    seen.observations.row(1).setConstant(0.2);
    return seen;
  });
  EXPECT_GT(doubt(mass, next)[0], 0.1) << "the place moves for no reason";
  EXPECT_GT(doubt(mass, next)[1], 0.1);
}

TEST(BadData, OfSensorsThatAreAllFrozenLeavesDoubt) {
  const PushedMass mass;
  const Proposal next = after(mass, [&](int seed) {
    Trajectory seen = pushed(mass, seed);
    seen.observations.colwise() = Eigen::Vector2d(0.3, 0.2);
    return seen;
  });
  EXPECT_GT(doubt(mass, next).minCoeff(), 0.05);
}

TEST(BadData, OfNothingButRestLeavesDoubtOfEveryPush) {
  const PushedMass mass;
  const Proposal next = after(mass, [&](int) {
    return Trajectory{Matrix::Zero(2, 31), Matrix::Zero(1, 30)};
  });
  ASSERT_GT(next.actions.cwiseAbs().maxCoeff(), 0.1) << "it asks for a push";
  EXPECT_GT(doubt(mass, next).minCoeff(), 0.3);
}

TEST(BadData, OfOnePushAloneLeavesDoubtOfOthers) {
  const PushedMass mass;
  const Proposal next = after(mass, [&](int) {
    Trajectory seen{Matrix::Zero(2, 31), Matrix::Constant(1, 30, 0.3)};
    for (Index t = 0; t < 30; ++t)
      seen.observations.col(t + 1) = mass.step(seen.observations.col(t), seen.actions.col(t));
    return seen;
  });
  EXPECT_GT(doubt(mass, next).minCoeff(), 0.3);
}

TEST(BadData, OfThreeTransitionsInAllLeavesDoubt) {
  const PushedMass mass;
  const Proposal next = after(mass, [&](int seed) { return pushed(mass, seed, 1); });
  EXPECT_GT(doubt(mass, next).minCoeff(), 0.3);
}

TEST(BadData, OfTheSameRowsTimeAndAgainIsNotThreeTimesAsGood) {
  const PushedMass mass;
  const Proposal same = after(mass, [&](int) { return pushed(mass, 1); });
  const Proposal other = after(mass, [&](int seed) { return pushed(mass, seed); });
  EXPECT_GT(doubt(mass, same).norm(), doubt(mass, other).norm());
}

TEST(BadData, OfMoreNoiseThanMotionIsNotLearnedByHeart) {
  const PushedMass mass;
  const Proposal next = after(mass, [&](int seed) {
    Trajectory seen = pushed(mass, seed);
    RandomStream randomness(static_cast<std::uint64_t>(seed), "noise");
    for (double& value : seen.observations.reshaped()) value += 10 * randomness.normal();
    return seen;
  });
  EXPECT_GT(doubt(mass, next).minCoeff(), 5) << "of what is measured";
}

TEST(BadData, OfUnitsTenOrdersOfMagnitudeApartIsAsGoodAsAny) {
  const PushedMass plain;
  const Proposal expected = after(plain, [&](int seed) { return pushed(plain, seed); });
  for (const double unit : {1e10, 1e-10}) {
    const PushedMass mass{unit};
    const Proposal next = after(mass, [&](int seed) { return pushed(mass, seed); });
    EXPECT_LT(doubt(mass, next).maxCoeff(), 3 * doubt(plain, expected).maxCoeff()) << unit;
    // Followed in truth, the plan leads where it said.
    Vector state = Vector::Zero(2);
    for (Index t = 0; t < next.actions.cols(); ++t) state = mass.step(state, next.actions.col(t));
    const Vector off = (next.forecast->mean.rightCols(1) - state)
                           .cwiseAbs()
                           .cwiseQuotient(next.forecast->deviation.rightCols(1));
    EXPECT_LT(off.maxCoeff(), 4) << unit;
  }
}

}  // namespace
}  // namespace rhc
