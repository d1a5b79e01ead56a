#include "rhc/plan/state_bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/random.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

constexpr Index kBoundsHorizon = 6, kStates = 3;

// The first state has both bounds, the second one, the third none.
Box some_bounds() { return {Vector{{-1, -kInfinity, -kInfinity}}, Vector{{3, 0.5, kInfinity}}}; }

Rollout random_states(std::uint64_t seed, double spread) {
  RandomStream r(seed, "states");
  Rollout rollout(kStates, 1, 0, kBoundsHorizon);
  for (double& v : rollout.states.reshaped()) v = r.uniform(-spread, spread);
  return rollout;
}

// Bounds that have been updated a few times, so that there are multipliers.
StateBounds updated_bounds(std::uint64_t seed) {
  StateBounds bounds(some_bounds(), kBoundsHorizon);
  for (std::uint64_t i = 0; i < seed % 4; ++i) bounds.update(random_states(seed + 100 + i, 4));
  return bounds;
}

lq::Problem expansion_of(const StateBounds& bounds, const Rollout& rollout) {
  lq::Problem stages(kStates, 1, kBoundsHorizon);
  bounds.expand(rollout, stages);
  return stages;
}

TEST(StateBounds, SlopeIsThatOfFiniteDifferences) {
  for (int seed = 1; seed <= repeats(40, 1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const StateBounds bounds = updated_bounds(static_cast<std::uint64_t>(seed));
    const Rollout rollout = random_states(static_cast<std::uint64_t>(seed), 4);
    const lq::Problem got = expansion_of(bounds, rollout);
    const double h = 1e-6;
    for (Index t = 0; t <= kBoundsHorizon; ++t)
      for (Index i = 0; i < kStates; ++i) {
        Rollout up = rollout, down = rollout;
        up.states(i, t) += h;
        down.states(i, t) -= h;
        const double expected = (bounds.evaluate(up) - bounds.evaluate(down)) / (2 * h);
        const double value = t < kBoundsHorizon ? got.g(i, t) : got.p[i];
        EXPECT_NEAR(value, expected, 1e-6 * (1 + std::abs(bounds.evaluate(rollout))))
            << "state " << i << " of step " << t;
      }
  }
}

TEST(StateBounds, CurvatureIsTheChangeOfTheSlope) {
  for (int seed = 1; seed <= repeats(40, 1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const StateBounds bounds = updated_bounds(static_cast<std::uint64_t>(seed));
    const Rollout rollout = random_states(static_cast<std::uint64_t>(seed), 4);
    const lq::Problem got = expansion_of(bounds, rollout);
    const double h = 1e-7;  // quadratic on each side of the bound
    for (Index t = 0; t <= kBoundsHorizon; ++t)
      for (Index i = 0; i < kStates; ++i) {
        Rollout up = rollout;
        up.states(i, t) += h;
        const lq::Problem there = expansion_of(bounds, up);
        if (t < kBoundsHorizon) {
          EXPECT_NEAR(got.H_(t)(i, i), (there.g(i, t) - got.g(i, t)) / h,
                      1e-4 * (1 + got.H_(t)(i, i)));
          EXPECT_NEAR(got.H_(t).norm(), got.H_(t).diagonal().norm(), 0) << "states are coupled";
        } else {
          EXPECT_NEAR(got.P(i, i), (there.p[i] - got.p[i]) / h, 1e-4 * (1 + got.P(i, i)));
        }
      }
  }
}

TEST(StateBounds, CostNothingInside) {
  const StateBounds bounds(some_bounds(), kBoundsHorizon);
  const Rollout inside = random_states(1, 0.45);
  EXPECT_EQ(bounds.violation(inside), 0);
  EXPECT_EQ(bounds.evaluate(inside), 0);
  const lq::Problem got = expansion_of(bounds, inside);
  EXPECT_EQ(got.g.norm() + got.H.norm() + got.p.norm() + got.P.norm(), 0);
}

TEST(StateBounds, ViolationCountsInRanges) {
  const StateBounds bounds(some_bounds(), kBoundsHorizon);
  Rollout rollout(kStates, 1, 0, kBoundsHorizon);
  rollout.states(0, 2) = 5;  // 2 outside of a range of 4
  EXPECT_DOUBLE_EQ(bounds.violation(rollout), 0.5);
  rollout.states(0, 4) = -4;
  EXPECT_DOUBLE_EQ(bounds.violation(rollout), 0.75);
  rollout.states(1, kBoundsHorizon) = 1.5;  // an open range counts in units of the state
  EXPECT_DOUBLE_EQ(bounds.violation(rollout), 1);
  rollout.states(2, 1) = 1e9;  // no bound
  EXPECT_DOUBLE_EQ(bounds.violation(rollout), 1);
}

TEST(StateBounds, AnActionCannotChangeTheFirstStateSoItDoesNotCount) {
  const StateBounds bounds(some_bounds(), kBoundsHorizon);
  Rollout rollout(kStates, 1, 0, kBoundsHorizon);
  rollout.states(0, 0) = 100;
  EXPECT_EQ(bounds.violation(rollout), 0);
  EXPECT_EQ(bounds.evaluate(rollout), 0);
}

TEST(StateBounds, AnUpdateMakesTheSameViolationDearer) {
  StateBounds bounds(some_bounds(), kBoundsHorizon);
  Rollout rollout(kStates, 1, 0, kBoundsHorizon);
  rollout.states(0, 3) = 3.2;
  for (int i = 0; i < 3; ++i) {
    const double before = expansion_of(bounds, rollout).g(0, 3);
    bounds.update(rollout);
    EXPECT_GT(expansion_of(bounds, rollout).g(0, 3), before);
  }
}

// A solution of the penalised problem must be a solution of the next one where bounds are held.
TEST(StateBounds, AMultiplierTakesOverWhatThePenaltyHeld) {
  StateBounds bounds({Vector::Constant(1, -kInfinity), Vector::Constant(1, 2)}, kBoundsHorizon);
  Rollout rollout(1, 1, 0, kBoundsHorizon);
  rollout.states(0, 3) = 2.01;
  lq::Problem before(1, 1, kBoundsHorizon), after(1, 1, kBoundsHorizon);
  bounds.expand(rollout, before);
  bounds.update(rollout);
  rollout.states(0, 3) = 2 - 5e-4;  // the penalty aims a little inside
  bounds.expand(rollout, after);
  EXPECT_NEAR(after.g(0, 3), before.g(0, 3), 1e-9 * before.g(0, 3));
}

TEST(StateBounds, ResetForgetsAllMultipliers) {
  const Rollout rollout = random_states(3, 4);
  StateBounds bounds = updated_bounds(3);
  const StateBounds fresh(some_bounds(), kBoundsHorizon);
  ASSERT_NE(bounds.evaluate(rollout), fresh.evaluate(rollout));
  bounds.reset();
  EXPECT_EQ(bounds.evaluate(rollout), fresh.evaluate(rollout));
}

TEST(StateBounds, TakeOverWhatHeldAPlanThatBeganEarlier) {
  const Box bound{Vector::Constant(1, -kInfinity), Vector::Constant(1, 2)};
  StateBounds earlier(bound, kBoundsHorizon);
  Rollout outside(1, 1, 0, kBoundsHorizon);
  for (Index t = 0; t <= kBoundsHorizon; ++t)
    outside.states(0, t) = 2 + 0.01 * static_cast<double>(t);
  earlier.update(outside);
  // Where the penalty is none, the slope is the multiplier.
  const auto multipliers = [](const StateBounds& bounds, Index horizon) {
    Rollout held(1, 1, 0, horizon);
    held.states.setConstant(2 - 5e-4);
    lq::Problem stages(1, 1, horizon);
    bounds.expand(held, stages);
    Vector all(horizon);
    all << stages.g.row(0).tail(horizon - 1).transpose(), stages.p;
    return all;
  };
  const Vector before = multipliers(earlier, kBoundsHorizon);
  for (const Index horizon : {kBoundsHorizon - 2, kBoundsHorizon}) {
    StateBounds later(bound, horizon);
    later.take_over(earlier, 2, 0.5);
    const Vector after = multipliers(later, horizon);
    EXPECT_GT(before.minCoeff(), 0);
    EXPECT_LT((after.head(kBoundsHorizon - 2) - 0.5 * before.tail(kBoundsHorizon - 2)).norm(),
              1e-9 * before.norm());
    if (horizon == kBoundsHorizon) {
      EXPECT_LT(after.tail(2).norm(), 1e-9 * before.norm()) << "nothing held the steps beyond";
    }
  }
}

TEST(StateBounds, TakeOverNothingBeyondTheEarlierPlan) {
  const StateBounds earlier = updated_bounds(3);
  StateBounds later(some_bounds(), kBoundsHorizon);
  later.take_over(earlier, kBoundsHorizon + 1, 1);
  const Rollout inside = random_states(1, 0.45);
  EXPECT_EQ(later.evaluate(inside), 0);
}

TEST(StateBounds, MultipliersFollowTheScaleOfTheCost) {
  StateBounds bounds({Vector::Constant(1, -kInfinity), Vector::Constant(1, 2)}, kBoundsHorizon);
  Rollout rollout(1, 1, 0, kBoundsHorizon);
  rollout.states(0, 3) = 2.01;
  bounds.update(rollout);
  rollout.states(0, 3) = 2 - 5e-4;  // where the penalty is none
  lq::Problem before(1, 1, kBoundsHorizon), after(1, 1, kBoundsHorizon);
  bounds.expand(rollout, before);
  bounds.rescale(0.25);
  bounds.expand(rollout, after);
  EXPECT_NEAR(after.g(0, 3), 0.25 * before.g(0, 3), 1e-9 * before.g(0, 3));
}

}  // namespace
}  // namespace rhc
