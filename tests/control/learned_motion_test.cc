#include "rhc/control/learned_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rhc/system/pendulum.h"
#include "rhc/system/system.h"

namespace rhc {
namespace {

DynamicsModel learned_pendulum(const System& pendulum) {
  const SystemSpec& spec = pendulum.spec();
  RandomStream randomness(1, "learned pendulum");
  Matrix inputs(4, 300), changes(3, 300);
  for (Index t = 0; t < 300; ++t) {
    const Vector state = Eigen::Vector2d(randomness.uniform(-3, 3), randomness.uniform(-6, 6));
    const Vector action = Vector::Constant(1, randomness.uniform(-2, 2));
    inputs.col(t) << pendulum.observe(state), action;
    changes.col(t) = pendulum.observe(pendulum.step(state, action)) - pendulum.observe(state);
  }
  BayesianLinearModel posterior(
      draw_features(60, 4, RandomStream(1, "draw")),
      {(Vector(4) << 2, 2, 10, 20).finished(), 1e-3, Vector::Constant(3, 1e-3)},
      standardization_of(changes));
  posterior.learn({inputs, changes});
  return {Regression(std::move(posterior)), shape_of(spec, true)};
}

// One on the torque, one on the speed, one on the angle: not one on its cosine and one on its sine.
TEST(LearnedMotion, AnAnglesDisturbanceTurnsIt) {
  const System pendulum = Pendulum{};
  LearnedMotion motion(learned_pendulum(pendulum), pendulum.spec(), 5, true);
  ASSERT_EQ(motion.disturbances(), 3);
  for (const double angle : {0.0, 0.7, -2.0}) {
    SCOPED_TRACE(testing::Message() << "angle " << angle);
    const Vector there = pendulum.observe(Eigen::Vector2d(angle, 0.5));
    motion.rests_at(there);
    Rollout at = motion.one_step();
    at.states.col(0) = there;
    at.actions.col(0).setZero();
    const auto next = [&](double turn) -> Vector {
      motion.set_disturbance(Eigen::Vector3d(0, 0, turn));
      motion.step(at);
      return at.next.col(0);
    };
    const Vector as_is = next(0), turned = next(0.01);
    const double before = std::atan2(as_is[1], as_is[0]);
    EXPECT_NEAR(std::remainder(std::atan2(turned[1], turned[0]) - before, 2 * std::numbers::pi),
                0.01, 1e-3);
    EXPECT_NEAR(turned.head(2).norm(), 1, 1e-9);
    EXPECT_NEAR(turned[2], as_is[2], 1e-12);
  }
}

TEST(LearnedMotion, ItsSlopeByDisturbancesIsThatOfDifferences) {
  const System pendulum = Pendulum{};
  LearnedMotion motion(learned_pendulum(pendulum), pendulum.spec(), 5, true);
  const Vector there = pendulum.observe(Eigen::Vector2d(0.4, -1));
  motion.rests_at(there);
  Rollout at = motion.one_step();
  at.states.col(0) = there;
  at.actions.col(0).setConstant(0.3);
  const auto next = [&](const Vector& disturbance) -> Vector {
    motion.set_disturbance(disturbance);
    motion.step(at);
    return at.unprojected.col(0).head(3);
  };
  next(Vector::Zero(3));
  Matrix F(3, 4), slope(3, 3);
  motion.dynamics.linearize(at, F);
  motion.slope_of_disturbance(F, slope);
  // That of the action follows from F, which knows that the state comes back to the circle.
  for (Index k = 1; k < 3; ++k) {
    const Vector difference =
        (next(1e-4 * Vector::Unit(3, k)) - next(-1e-4 * Vector::Unit(3, k))) / 2e-4;
    EXPECT_LT((slope.col(k) - difference).norm(), 1e-6) << k;
  }
}

}  // namespace
}  // namespace rhc
