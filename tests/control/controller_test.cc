#include "rhc/control/controller.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "rhc/core/error.h"
#include "rhc/model/online_regression.h"
#include "tests/control/learned_cart.h"

namespace rhc {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// The cart under a controller, without noise unless `noise` says so.
struct ControlledCart {
  explicit ControlledCart(const ControlSettings& settings = {}, PushedCart pushed = {},
                          Index history = 1, int episodes = 10)
      : cart(pushed),
        controller(learned_cart(history, 1e-3, 0, episodes), cart.spec(), settings),
        state(cart.spec().start) {
    controller.start(state);
  }

  Vector measured() { return state + noise * randomness.normals(2); }

  // With this measurement, null: none.
  void step_with(const Vector* seen, bool prepare = true) {
    const Vector action = controller.act(seen);
    if (prepare) controller.prepare({});
    state = cart.step(state, action);
    actions.push_back(action[0]);
    states.push_back(state);
  }
  void steps(int count) {
    for (int t = 0; t < count; ++t) {
      const Vector seen = measured();
      step_with(&seen);
    }
  }

  PushedCart cart;
  Controller controller;
  Vector state;
  double noise = 0;
  RandomStream randomness{3, "controlled cart"};
  std::vector<double> actions;
  std::vector<Vector> states;
};

TEST(Controller, BringsTheSystemToItsTarget) {
  for (const Index history : {1, 2}) {
    ControlledCart c({}, {}, history);
    c.steps(100);
    EXPECT_LT(std::abs(c.state[0]), 0.01) << "history " << history;
    EXPECT_EQ(c.controller.last().source, ActionSource::plan);
    EXPECT_TRUE(c.controller.last().has_regulator);
  }
}

// Half the cost of the best there is would be a wrong sum; dense algebra knows the best without
// bounds, which do not matter so near to the target.
TEST(Controller, CostsNoMoreThanTheRegulatorOfTheTrueSystemNearTheTarget) {
  Eigen::Matrix2d A;
  A << 1, 0.1, 0, 0.95;
  const Eigen::Vector2d B(0, 0.2);
  const Eigen::Matrix2d Q = Eigen::Vector2d(1, 0.1).asDiagonal();
  Eigen::Matrix2d P = Q;
  for (int i = 0; i < 2000; ++i) {
    const Eigen::RowVector2d K = -(B.transpose() * P * A) / (0.05 + B.dot(P * B));
    P = Q + A.transpose() * P * (A + B * K);
  }
  const Eigen::Vector2d start(0.1, 0);
  ControlledCart c;
  c.state = start;
  c.controller.start(c.state);
  double cost = 0;
  for (int t = 0; t < 200; ++t) {
    cost += c.cart.spec().task.state_cost(c.state);
    c.steps(1);
    cost += 0.05 * std::pow(c.actions.back(), 2);
  }
  EXPECT_LT(cost, 1.01 * start.dot(P * start));
}

TEST(Controller, RemovesAConstantForceOnlyIfTold) {
  const auto error_with = [](bool remove, bool learn) {
    ControlledCart c({.learn = learn, .remove_offset = remove}, {.force = 0.2});
    c.noise = 1e-3;
    c.steps(400);
    double mean = 0;
    for (std::size_t t = 300; t < 400; ++t) mean += c.states[t][0] / 100;
    return std::abs(mean);
  };
  EXPECT_GT(error_with(false, false), 0.03);
  EXPECT_LT(error_with(true, false), 0.002);
  EXPECT_LT(error_with(true, true), 0.002);
}

TEST(Controller, SaysWhichForceItFound) {
  ControlledCart c({}, {.force = 0.2});
  c.noise = 1e-3;
  c.steps(400);
  const ControlStep& last = c.controller.last();
  // What the action's disturbance does to the speed, and that of the speed itself, are one force.
  EXPECT_NEAR(0.2 * last.action_disturbance[0] + last.disturbance[1], 0.2 * 0.2, 0.004);
}

TEST(Controller, KeepsBoundsAndRatesWhateverIsMeasured) {
  const double rate = 1.5;  // a step changes the action by 0.15
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ControlledCart c({.most_blind = 5}, {.rate = Vector::Constant(1, rate)});
    RandomStream fate(seed, "fate");
    double before = 0;
    for (int t = 0; t < 300; ++t) {
      Vector seen = c.measured();
      const double what = fate.uniform();
      if (what < 0.1) seen[0] = kNothing;
      if (what > 0.1 && what < 0.2) seen *= 1e9;
      if (what > 0.2 && what < 0.25) seen = Vector::Zero(5);
      if (t > 100 && t < 120) seen.setConstant(kNothing);
      c.step_with(what > 0.9 ? nullptr : &seen, fate.uniform() < 0.7);
      ASSERT_LE(std::abs(c.actions.back()), 1);
      ASSERT_LE(std::abs(c.actions.back() - before), 0.1 * rate * (1 + 1e-12));
      before = c.actions.back();
    }
  }
}

TEST(Controller, GoesOnByPredictionWhereMeasurementsAreLost) {
  ControlledCart c;
  c.steps(5);
  for (int t = 0; t < 6; ++t) {
    const Vector truth = c.state;
    c.step_with(nullptr);
    EXPECT_EQ(c.controller.last().measured, MeasuredAs::lost);
    EXPECT_EQ(c.controller.last().in_a_row, t + 1);
    EXPECT_EQ(c.controller.last().source, ActionSource::plan);
    EXPECT_LT((c.controller.last().estimate - truth).norm(), 0.01);
  }
  EXPECT_EQ(c.controller.last().lost, 6);
  c.steps(80);
  EXPECT_LT(std::abs(c.state[0]), 0.02);
}

TEST(Controller, RejectsWhatIsAbsurdAndBelievesWhatStaysThere) {
  ControlledCart c({.believe_after = 3});
  c.steps(20);
  Vector absurd = c.state + Vector::Constant(2, 5);
  const Vector before = c.state;
  c.step_with(&absurd);
  EXPECT_EQ(c.controller.last().measured, MeasuredAs::absurd);
  EXPECT_LT((c.controller.last().estimate - before).norm(), 0.01);
  EXPECT_EQ(c.controller.last().rejected, 1);
  c.steps(1);
  EXPECT_EQ(c.controller.last().measured, MeasuredAs::taken);
  // Somebody carried it elsewhere.
  c.state += Eigen::Vector2d(5, 0);
  c.steps(2);
  EXPECT_EQ(c.controller.last().measured, MeasuredAs::absurd);
  const Vector there = c.state;
  c.steps(1);
  EXPECT_EQ(c.controller.last().measured, MeasuredAs::believed);
  EXPECT_LT((c.controller.last().estimate - there).norm(), 1e-9);
  c.steps(150);
  EXPECT_LT(std::abs(c.state[0]), 0.02);
}

TEST(Controller, RestsWhereNobodyKnowsAndComesBack) {
  ControlledCart c({.most_blind = 4}, {.rate = Vector::Constant(1, 1)});
  c.steps(2);
  for (int t = 0; t < 4; ++t) c.step_with(nullptr);
  EXPECT_NE(c.controller.last().source, ActionSource::rest);
  double before = std::abs(c.actions.back());
  for (int t = 0; t < 12; ++t) {
    c.step_with(nullptr);
    EXPECT_EQ(c.controller.last().source, ActionSource::rest);
    EXPECT_EQ(c.controller.last().fall, Fall::blind);
    EXPECT_NEAR(std::abs(c.actions.back()), std::max(0.0, before - 0.1), 1e-12);
    before = std::abs(c.actions.back());
  }
  EXPECT_EQ(c.actions.back(), 0);
  c.steps(150);
  EXPECT_EQ(c.controller.last().source, ActionSource::plan);
  EXPECT_LT(std::abs(c.state[0]), 0.02);
}

TEST(Controller, FallsFromThePlanToTheRegulatorAndSaysWhy) {
  ControlledCart c;
  c.steps(10);
  for (int t = 0; t < 60; ++t) {
    const Vector seen = c.measured();
    c.step_with(&seen, false);
    const ControlStep& last = c.controller.last();
    if (t == 0) {
      EXPECT_EQ(last.source, ActionSource::plan);
    } else if (t < 30) {
      EXPECT_EQ(last.source, ActionSource::last_plan) << t;
      EXPECT_EQ(last.fall, Fall::late);
      EXPECT_EQ(last.plan_age, t);
    } else {
      EXPECT_EQ(last.source, ActionSource::regulator) << t;
      EXPECT_EQ(last.fall, Fall::plan_ended);
    }
  }
  EXPECT_LT(std::abs(c.state[0]), 0.01);
}

// A clock that goes on by so much whenever it is looked at.
TEST(Controller, StopsAtItsDeadline) {
  double time = 0;
  const double look = 1e-4;
  const Clock clock = [&] { return time += look; };
  ControlledCart c;
  c.state = Eigen::Vector2d(0.8, 0.3);
  for (int t = 0; t < 40; ++t) {
    c.state += Eigen::Vector2d(0.05, -0.05);  // so that there is always something to do
    c.controller.act(&c.state);
    const Deadline deadline = Deadline::in(clock, 12.5 * look);
    c.controller.prepare(deadline);
    EXPECT_LE(time, deadline.at + 3 * look);
    EXPECT_TRUE(c.controller.last().planned);
    EXPECT_LE(c.controller.last().iterations, 10);
  }
  // One that has passed.
  c.controller.act(&c.state);
  c.controller.prepare(Deadline::at_time(clock, time - 1));
  EXPECT_FALSE(c.controller.last().planned);
  EXPECT_EQ(c.controller.last().iterations, 0);
  c.controller.act(&c.state);
  EXPECT_EQ(c.controller.last().source, ActionSource::last_plan);
  EXPECT_EQ(c.controller.last().fall, Fall::late);
}

TEST(Controller, OneSlowPeriodDoesNotStopItForEver) {
  double time = 0;
  bool slow = false;
  const Clock clock = [&] { return time += slow ? 1.0 : 1e-4; };
  ControlledCart c;
  const auto period = [&] {
    c.controller.act(&c.state);
    c.controller.prepare(Deadline::in(clock, 0.02));
    return c.controller.last().planned;
  };
  period();
  slow = true;
  period();
  slow = false;
  int until = 0;
  while (!period() && until < 1000) ++until;
  EXPECT_LT(until, 400);
}

TEST(Controller, PlansFromWhereTheSystemWillBe) {
  ControlledCart c;
  for (int t = 0; t < 20; ++t) {
    c.steps(1);  // `state` is then the next measurement
    EXPECT_EQ(c.controller.plan_begin(), t + 1);
    EXPECT_LT((c.controller.planned_observations().col(0) - c.state).norm(), 3e-3);
  }
}

TEST(Controller, LearnsOnlyFromWhatWasMeasuredAtBothEnds) {
  // From so little that every step tells something.
  ControlledCart c({.learn = true}, {}, 1, 1);
  const Index before = c.controller.model().regression.count();
  c.steps(10);  // 9 transitions
  EXPECT_EQ(c.controller.model().regression.count(), before + 9);
  c.step_with(nullptr);
  c.steps(1);
  EXPECT_FALSE(c.controller.last().learned);
  c.steps(1);
  EXPECT_TRUE(c.controller.last().learned);
  EXPECT_EQ(c.controller.model().regression.count(), before + 10);
}

TEST(Controller, LearnsWhatTheRegressionWouldLearn) {
  ControlledCart c({.learn = true, .remove_offset = false}, {}, 1, 1);
  OnlineRegression online(learned_cart(1, 1e-3, 0, 1).regression);
  Vector last = c.state;
  for (int t = 0; t < 20; ++t) {
    const Vector seen = c.state;
    if (t > 0) {
      const Vector input = (Vector(3) << last, c.actions.back()).finished();
      online.learn(input, seen - last);
    }
    last = seen;
    c.steps(1);
  }
  online.solve();
  const Matrix expected = online.regression.groups[0].posterior.weights;
  const Matrix learned = c.controller.model().regression.groups[0].posterior.weights;
  EXPECT_LT((learned - expected).norm(), 1e-7 * expected.norm());
}

TEST(Controller, AimsAtAnotherTargetWithoutAJump) {
  ControlledCart c, left_alone;
  c.steps(60);
  left_alone.steps(60);
  TaskCost other = c.controller.task();
  other.target[0] = 0.5;
  c.controller.aim(other);
  c.steps(1);
  left_alone.steps(1);
  EXPECT_EQ(c.actions.back(), left_alone.actions.back());  // the plan that was made goes on
  c.steps(100);
  EXPECT_NEAR(c.state[0], 0.5, 0.01);
  TaskCost wrong = other;
  wrong.target = Vector::Zero(3);
  EXPECT_THROW(c.controller.aim(wrong), InputError);
  EXPECT_EQ(c.controller.task().target[0], 0.5);
}

TEST(Controller, FollowsAReference) {
  ControlledCart c;
  c.steps(60);
  TaskCost reference = c.controller.task();
  reference.reference = Matrix::Zero(2, 200);
  for (Index t = 0; t < 200; ++t) {
    reference.reference(0, t) = 0.5 * std::sin(0.05 * static_cast<double>(t));
    reference.reference(1, t) = 0.25 * std::cos(0.05 * static_cast<double>(t));
  }
  c.controller.aim(reference);
  double worst = 0;
  for (Index t = 0; t < 150; ++t) {
    if (t > 20) worst = std::max(worst, std::abs(c.state[0] - reference.reference(0, t)));
    c.steps(1);
    EXPECT_EQ(c.controller.last().target[0], reference.reference(0, t));
  }
  EXPECT_LT(worst, 0.05);
}

TEST(Controller, IsTheSameEveryTime) {
  const auto run = [] {
    ControlledCart c({.learn = true}, {.force = 0.1});
    c.noise = 0.01;
    c.steps(50);
    return c.actions;
  };
  EXPECT_EQ(run(), run());
}

TEST(Controller, GoesOnFromWhatWasCarriedOut) {
  ControlledCart c;
  c.steps(5);
  c.controller.act(&c.state);
  const Vector other = Vector::Constant(1, 0.7);
  c.controller.carried_out(other);
  c.controller.prepare({});
  c.state = c.cart.step(c.state, other);
  EXPECT_LT((c.controller.planned_observations().col(0) - c.state).norm(), 3e-3);
}

TEST(Controller, KeepsTheLimitsOfTheStates) {
  ControlledCart c;
  SystemSpec spec = c.cart.spec();
  spec.limits.lower[1] = -0.25;  // of the speed
  Controller limited(learned_cart(), spec);
  Vector state = spec.start;
  limited.start(state);
  double slowest = 0, slowest_without = 0;
  for (int t = 0; t < 60; ++t) {
    state = c.cart.step(state, limited.step(state));
    slowest = std::min(slowest, state[1]);
    c.steps(1);
    slowest_without = std::min(slowest_without, c.state[1]);
  }
  EXPECT_LT(slowest_without, -0.4);
  EXPECT_GT(slowest, -0.255);
}

TEST(Controller, RefusesAModelOfAnotherSystem) {
  SystemSpec spec = PushedCart{}.spec();
  spec.action.push_back({"other", ""});
  spec.action_bounds = {Vector::Constant(2, -1), Vector::Constant(2, 1)};
  spec.task.action_weight = Vector::Ones(2);
  EXPECT_THROW(Controller(learned_cart(), spec), InputError);
  Controller fine(learned_cart(), PushedCart{}.spec());
  EXPECT_THROW(fine.start(Vector::Constant(2, kNothing)), InputError);
}

}  // namespace
}  // namespace rhc
