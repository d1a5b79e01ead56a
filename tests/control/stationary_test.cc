#include "rhc/control/stationary.h"

#include <gtest/gtest.h>

#include "rhc/control/control_task.h"
#include "tests/control/learned_cart.h"

namespace rhc {
namespace {

TEST(Stationary, IsWhereNothingMovesUnderTheDisturbance) {
  const SystemSpec spec = PushedCart{}.spec();
  LearnedMotion motion(learned_cart(), spec, 10, true);
  Vector disturbance = Vector::Zero(motion.disturbances());
  disturbance << 0.3, 0.01, -0.02;  // on the action, the position and the speed
  motion.set_disturbance(disturbance);
  Stationary stationary(motion, spec, spec.action_bounds);
  ASSERT_TRUE(stationary.settle(spec.task, spec.task.target, Vector::Zero(2)));
  // By the true equations: x = x + 0.1 v + 0.01, v = 0.95 v + 0.2 (u + 0.3) - 0.02.
  EXPECT_NEAR(stationary.state()[1], -0.1, 5e-3);
  EXPECT_NEAR(stationary.action()[0], (0.05 * -0.1 + 0.02) / 0.2 - 0.3, 5e-3);
  EXPECT_NEAR(stationary.state()[0], 0, 1e-3);
}

TEST(Stationary, HoldsAnActionInsideItsBounds) {
  const SystemSpec spec = PushedCart{}.spec();
  LearnedMotion motion(learned_cart(), spec, 10, true);
  Vector disturbance = Vector::Zero(motion.disturbances());
  disturbance[0] = 1.5;  // stronger than any action
  motion.set_disturbance(disturbance);
  Stationary stationary(motion, spec, spec.action_bounds);
  stationary.settle(spec.task, spec.task.target, Vector::Zero(2));
  EXPECT_GE(stationary.action()[0], -1);
}

TEST(Stationary, CostToGoIsWhatTheRegulatorPays) {
  const SystemSpec spec = PushedCart{}.spec();
  LearnedMotion motion(learned_cart(), spec, 10, true);
  Stationary stationary(motion, spec, spec.action_bounds);
  ASSERT_TRUE(stationary.settle(spec.task, spec.task.target, Vector::Zero(2)));
  ASSERT_TRUE(stationary.regulate(spec.task, 5000, true));
  const PushedCart cart;
  Vector state = Eigen::Vector2d(0.05, -0.02), control(1);
  const Vector off = state - stationary.state();
  double paid = 0;
  for (int t = 0; t < 500; ++t) {
    stationary.control_at(state, control);
    paid += spec.task.stage_cost(state, control);
    state = cart.step(state, control);
  }
  EXPECT_NEAR(0.5 * off.dot(stationary.tail() * off), paid, 0.02 * paid);
  EXPECT_TRUE(stationary.holds_from(Eigen::Vector2d(0.05, -0.02)));
  EXPECT_FALSE(stationary.holds_from(Eigen::Vector2d(50, 0)));
}

}  // namespace
}  // namespace rhc
