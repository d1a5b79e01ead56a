#include "rhc/plan/mean_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/plan/layout.h"
#include "tests/plan/jacobians.h"
#include "tests/plan/random_model.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

constexpr Index kMeanHorizon = 5;

struct MeanCase {
  // Every seed another number of states, actions and angles.
  explicit MeanCase(int seed) : MeanCase(seed, pairs_of(seed), seed % 3 == 2 ? 5 : 2 + seed % 4) {}
  MeanCase(int seed, const std::vector<AnglePair>& angles, Index states)
      : belief(model_of(seed, angles, states)),
        dynamics(belief, kMeanHorizon),
        rollout(random_rollout(dynamics, kMeanHorizon, static_cast<std::uint64_t>(seed), angles)) {}

  // One posterior for all outputs, with random features or those of a network, or one for each.
  static PlanningModel model_of(int seed, const std::vector<AnglePair>& angles, Index states) {
    const auto number = static_cast<std::uint64_t>(seed);
    if (seed % 5 < 2)
      return planned(random_network_model(25, states, 1 + seed % 2, number), angles);
    if (seed % 4 < 2) return random_planning_model(25, states, 1 + seed % 2, number, angles);
    return planned(random_separate_model(25, states, 1 + seed % 2, number), angles);
  }

  static std::vector<AnglePair> pairs_of(int seed) {
    if (seed % 3 == 0) return {};
    if (seed % 3 == 1) return {{1, 0}};
    return {{0, 1}, {4, 2}};
  }

  Index n() const { return belief.inputs(); }

  PlanningModel belief;
  MeanDynamics dynamics;
  Rollout rollout;
};

// The rollout with one input of every step moved.
Rollout moved(const MeanCase& c, Index i, double by) {
  Rollout rollout = c.rollout;
  for (Index t = 0; t < kMeanHorizon; ++t) input(rollout, i, t) += by;
  step_everywhere(c.dynamics, rollout);
  return rollout;
}

TEST(MeanDynamics, WithoutAnglesTheStepIsTheMeanOfTheModel) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto number = static_cast<std::uint64_t>(seed);
    const BayesianLinearModel model =
        seed % 2 == 0 ? random_network_model(40, 3, 2, number) : random_model(40, 3, 2, number);
    const PlanningModel belief = planned(model);
    const MeanDynamics dynamics(belief, kMeanHorizon);
    const Rollout rollout =
        random_rollout(dynamics, kMeanHorizon, static_cast<std::uint64_t>(seed));
    Matrix inputs(5, kMeanHorizon);
    inputs << rollout.states.leftCols(kMeanHorizon), rollout.actions;
    const Matrix expected = rollout.states.leftCols(kMeanHorizon) + model.predict(inputs).mean;
    EXPECT_LT((rollout.next - expected).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(MeanDynamics, AnglesAreTheMeanBroughtBackToTheCircle) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const MeanCase c(seed);
    PlanningModel free = c.belief;
    free.angles.clear();
    Rollout expected = c.rollout;
    step_everywhere(MeanDynamics(free, kMeanHorizon), expected);
    for (const AnglePair& pair : c.belief.angles)
      for (Index t = 0; t < kMeanHorizon; ++t) {
        const double angle = std::atan2(expected.next(pair.sine, t), expected.next(pair.cosine, t));
        expected.next(pair.cosine, t) = std::cos(angle);
        expected.next(pair.sine, t) = std::sin(angle);
      }
    EXPECT_LT((c.rollout.next - expected.next).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(MeanDynamics, LinearizeIsThatOfFiniteDifferences) {
  for (int seed = 1; seed <= repeats(30, 1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const MeanCase c(seed);
    const Matrix F = jacobians(c.dynamics, c.rollout);
    const double h = 1e-6;
    for (Index i = 0; i < c.n(); ++i) {
      const Matrix expected = (moved(c, i, h).next - moved(c, i, -h).next) / (2 * h);
      for (Index t = 0; t < kMeanHorizon; ++t)
        EXPECT_LT((F.col(t * c.n() + i) - expected.col(t)).norm(), 1e-8) << "input " << i;
    }
  }
}

// What is known is added to what the features say, and to its derivatives.
TEST(MeanDynamics, AddsWhatIsKnown) {
  PlanningModel belief = random_planning_model(25, 4, 1, 3, {{0, 1}});
  belief.known = {
      .change =
          [](const Vector& o, const Vector& a) {
            return Vector(Eigen::Vector4d(o[1] * o[2], std::sin(o[0]), a[0] * o[3], a[0] - o[2]));
          },
      .acted = 1};
  for (const bool changes : {false, true}) {
    const Layout layout{.observed = 4, .acted = 1, .history = 1, .changes = changes};
    const PlanningModel planned_one = layout.lift(belief);
    PlanningModel unknowing = planned_one;
    unknowing.known = {};
    unknowing.angles.clear();
    const MeanDynamics dynamics(planned_one, kMeanHorizon), free(unknowing, kMeanHorizon);
    const Rollout rollout = random_rollout(dynamics, kMeanHorizon, 5, {{0, 1}});
    Rollout without = rollout;
    step_everywhere(free, without);
    for (Index t = 0; t < kMeanHorizon; ++t) {
      const Vector o = rollout.states.col(t).head(4);
      const Vector a = Vector::Constant(1, layout.action(rollout.states, rollout.actions, 0, t));
      Vector expected = without.next.col(t);
      expected.head(4) += belief.known.change(o, a);
      EXPECT_LT((rollout.unprojected.col(t) - expected).norm(), 1e-12);
    }
    const Index n = planned_one.Q.cols();
    const Matrix F = jacobians(dynamics, rollout);
    for (Index i = 0; i < n; ++i) {
      const double h = 1e-6;
      Rollout up = rollout, down = rollout;
      for (Index t = 0; t < kMeanHorizon; ++t) {
        input(up, i, t) += h;
        input(down, i, t) -= h;
      }
      step_everywhere(dynamics, up);
      step_everywhere(dynamics, down);
      const Matrix expected = (up.next - down.next) / (2 * h);
      for (Index t = 0; t < kMeanHorizon; ++t)
        EXPECT_LT((F.col(t * n + i) - expected.col(t)).norm(), 1e-7) << "input " << i;
    }
  }
}

// The derivative of F' multipliers, by differences of the Jacobians.
void expect_curvature_of_differences(const MeanCase& c, std::uint64_t seed) {
  RandomStream r(seed, "multipliers");
  Matrix multipliers(c.belief.states(), kMeanHorizon);
  for (double& v : multipliers.reshaped()) v = r.normal();
  Matrix feature_slope = Matrix::Zero(c.belief.features(), kMeanHorizon);
  Matrix H = Matrix::Zero(c.n(), c.n() * kMeanHorizon);
  c.dynamics.add_curvature(c.rollout, multipliers, feature_slope, H);
  const double h = 1e-5;
  for (Index i = 0; i < c.n(); ++i) {
    const Matrix change =
        (jacobians(c.dynamics, moved(c, i, h)) - jacobians(c.dynamics, moved(c, i, -h))) / (2 * h);
    for (Index t = 0; t < kMeanHorizon; ++t) {
      const Vector expected = change.middleCols(t * c.n(), c.n()).transpose() * multipliers.col(t);
      EXPECT_LT((H.col(t * c.n() + i) - expected).norm(), 1e-7 * (1 + multipliers.norm()))
          << "input " << i;
    }
  }
}

TEST(MeanDynamics, CurvatureIsTheHessianOfMultipliersTimesTheStep) {
  for (int seed = 1; seed <= repeats(30, 1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_curvature_of_differences(MeanCase(seed), static_cast<std::uint64_t>(seed));
  }
}

TEST(MeanDynamics, CurvatureOfTheFeaturesIsThatOfFiniteDifferences) {
  for (int seed = 1; seed <= repeats(30, 1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const MeanCase c(seed);
    RandomStream r(static_cast<std::uint64_t>(seed), "feature slope");
    Matrix feature_slope(c.belief.features(), kMeanHorizon);
    for (double& v : feature_slope.reshaped()) v = r.normal();
    const auto slope_at = [&](const Rollout& rollout) {
      Matrix g = Matrix::Zero(c.n(), kMeanHorizon);
      c.dynamics.add_slope(rollout, feature_slope, g);
      return g;
    };
    Matrix H = Matrix::Zero(c.n(), c.n() * kMeanHorizon), used_up = feature_slope;
    c.dynamics.add_curvature(c.rollout, Matrix::Zero(c.belief.states(), kMeanHorizon), used_up, H);
    const double h = 1e-5;
    for (Index i = 0; i < c.n(); ++i) {
      const Matrix expected = (slope_at(moved(c, i, h)) - slope_at(moved(c, i, -h))) / (2 * h);
      for (Index t = 0; t < kMeanHorizon; ++t)
        EXPECT_LT((H.col(t * c.n() + i) - expected.col(t)).norm(), 1e-6) << "input " << i;
    }
  }
}

TEST(MeanDynamics, SlopeOfTheFeaturesIsThatOfFiniteDifferences) {
  for (int seed = 1; seed <= repeats(30, 1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const MeanCase c(seed);
    RandomStream r(static_cast<std::uint64_t>(seed), "feature slope");
    Matrix feature_slope(c.belief.features(), kMeanHorizon);
    for (double& v : feature_slope.reshaped()) v = r.normal();
    Matrix g = Matrix::Zero(c.n(), kMeanHorizon);
    c.dynamics.add_slope(c.rollout, feature_slope, g);
    const double h = 1e-6;
    for (Index i = 0; i < c.n(); ++i) {
      const Matrix change = (moved(c, i, h).phi - moved(c, i, -h).phi) / (2 * h);
      for (Index t = 0; t < kMeanHorizon; ++t)
        EXPECT_NEAR(g(i, t), feature_slope.col(t).dot(change.col(t)), 1e-7) << "input " << i;
    }
  }
}

TEST(MeanDynamics, DerivativesAreAddedToWhatIsThere) {
  const MeanCase c(2);
  const Matrix multipliers = Matrix::Ones(c.belief.states(), kMeanHorizon);
  Matrix H = Matrix::Zero(c.n(), c.n() * kMeanHorizon), g = Matrix::Zero(c.n(), kMeanHorizon);
  Matrix H2 = Matrix::Constant(c.n(), c.n() * kMeanHorizon, 7),
         g2 = Matrix::Constant(c.n(), kMeanHorizon, 7);
  const Matrix slope = Matrix::Ones(c.belief.features(), kMeanHorizon);
  Matrix used = slope, used2 = slope;
  c.dynamics.add_curvature(c.rollout, multipliers, used, H);
  c.dynamics.add_curvature(c.rollout, multipliers, used2, H2);
  c.dynamics.add_slope(c.rollout, slope, g);
  c.dynamics.add_slope(c.rollout, slope, g2);
  EXPECT_LT(((H2 - H).array() - 7).abs().maxCoeff(), 1e-12);
  EXPECT_LT(((g2 - g).array() - 7).abs().maxCoeff(), 1e-12);
}

TEST(MeanDynamics, FollowLeavesNoGapAndStaysOnTheCircle) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const MeanCase c(seed);
    const Index T = 60;
    const MeanDynamics dynamics(c.belief, T);
    Rollout rollout =
        random_rollout(dynamics, T, static_cast<std::uint64_t>(seed), c.belief.angles);
    EXPECT_GT(rollout.defect(), 0.1);
    follow(dynamics, rollout);
    EXPECT_EQ(rollout.defect(), 0);
    for (const AnglePair& pair : c.belief.angles)
      for (Index t = 1; t <= T; ++t)
        EXPECT_NEAR(std::hypot(rollout.states(pair.cosine, t), rollout.states(pair.sine, t)), 1,
                    1e-14);
  }
}

TEST(MeanDynamics, StaysFiniteWhereAnAngleHasNoDirection) {
  MeanCase c(1);
  c.belief.W.setZero();
  c.belief.offset.setZero();
  const MeanDynamics dynamics(c.belief, kMeanHorizon);
  c.rollout.states.setZero();
  step_everywhere(dynamics, c.rollout);
  EXPECT_TRUE(c.rollout.next.allFinite());
  EXPECT_TRUE(jacobians(dynamics, c.rollout).allFinite());
  Matrix H = Matrix::Zero(c.n(), c.n() * kMeanHorizon);
  Matrix feature_slope = Matrix::Zero(c.belief.features(), kMeanHorizon);
  dynamics.add_curvature(c.rollout, Matrix::Ones(c.belief.states(), kMeanHorizon), feature_slope,
                         H);
  EXPECT_TRUE(H.allFinite());
}

TEST(MeanDynamics, TakesAnglesAmongManyInputs) {
  expect_curvature_of_differences(MeanCase(1, {{0, 1}, {39, 38}}, 40), 1);
}

}  // namespace
}  // namespace rhc
