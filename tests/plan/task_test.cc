#include "rhc/plan/task.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/plan/mean_dynamics.h"
#include "tests/plan/random_model.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

constexpr Index kTaskHorizon = 4;

TaskCost random_cost(Index states, Index actions, std::uint64_t seed) {
  RandomStream r(seed, "task");
  TaskCost cost{Vector(states), Vector(states), Vector(actions)};
  for (double& v : cost.target) v = r.uniform(-1, 1);
  for (double& v : cost.weight) v = r.uniform(0, 10);
  for (double& v : cost.action_weight) v = r.uniform(0, 1);
  // Half of them follow a reference, which ends before the horizon does.
  if (seed % 2 == 0) {
    cost.reference.resize(states, kTaskHorizon - 1);
    for (double& v : cost.reference.reshaped()) v = r.uniform(-1, 1);
  }
  return cost;
}

struct TaskCase {
  explicit TaskCase(int seed)
      : belief(random_planning_model(5, 3, 2, static_cast<std::uint64_t>(seed))),
        dynamics(belief, kTaskHorizon),
        rollout(random_rollout(dynamics, kTaskHorizon, static_cast<std::uint64_t>(seed))),
        cost(random_cost(3, 2, static_cast<std::uint64_t>(seed))),
        task(cost) {}

  PlanningModel belief;
  MeanDynamics dynamics;
  Rollout rollout;
  TaskCost cost;
  Task task;
};

TEST(Task, IsTheCostOfTheTrajectory) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    TaskCase c(seed);
    const double expected = c.cost.total({c.rollout.states, c.rollout.actions});
    EXPECT_NEAR(c.task.evaluate(c.rollout), expected, 1e-12 * expected) << "seed " << seed;
  }
}

TEST(Task, SlopeIsThatOfFiniteDifferences) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    TaskCase c(seed);
    const lq::Problem got = expansion_of(c.dynamics, c.task, c.rollout);
    // The cost is quadratic: any difference is exact.
    for (Index t = 0; t < kTaskHorizon; ++t)
      for (Index i = 0; i < 5; ++i)
        EXPECT_NEAR(got.g(i, t), difference(c.dynamics, c.task, c.rollout, i, t, 0.1), 1e-10);
    for (Index i = 0; i < 3; ++i) {
      Rollout up = c.rollout, down = c.rollout;
      up.states(i, kTaskHorizon) += 0.1;
      down.states(i, kTaskHorizon) -= 0.1;
      EXPECT_NEAR(got.p[i], (c.task.evaluate(up) - c.task.evaluate(down)) / 0.2, 1e-10);
    }
  }
}

TEST(Task, CurvatureIsTheChangeOfTheSlope) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    TaskCase c(seed);
    const lq::Problem got = expansion_of(c.dynamics, c.task, c.rollout);
    for (Index t = 0; t < kTaskHorizon; ++t)
      for (Index i = 0; i < 5; ++i) {
        Rollout moved = c.rollout;
        input(moved, i, t) += 1;
        const Matrix change = expansion_of(c.dynamics, c.task, moved).g - got.g;
        EXPECT_LT((got.H_(t).col(i) - change.col(t)).norm(), 1e-12);
        EXPECT_NEAR(change.norm(), change.col(t).norm(), 1e-12) << "steps are coupled";
      }
    for (Index i = 0; i < 3; ++i) {
      Rollout moved = c.rollout;
      moved.states(i, kTaskHorizon) += 1;
      const Vector change = expansion_of(c.dynamics, c.task, moved).p - got.p;
      EXPECT_LT((got.P.col(i) - change).norm(), 1e-12);
    }
  }
}

TEST(Task, IsACost) { EXPECT_EQ(Task(random_cost(1, 1, 1)).sign(), 1); }

}  // namespace
}  // namespace rhc
