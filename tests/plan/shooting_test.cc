#include "rhc/plan/shooting.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/signals.h"
#include "rhc/plan/task.h"
#include "tests/plan/made_up.h"
#include "tests/plan/random_model.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

constexpr Index kShootingHorizon = 20;

// A random belief, one of the four objectives, and where to begin.
struct ShootingCase {
  ShootingCase(const std::string& objective_name, int seed)
      : angles(seed % 3 == 0 ? std::vector<AnglePair>{{0, 1}} : std::vector<AnglePair>{}),
        belief(random_planning_model(30, 2 + seed % 2, 1 + seed % 4 / 2,
                                     static_cast<std::uint64_t>(seed), angles)),
        dynamics(belief, kShootingHorizon),
        action_bounds{Vector::Constant(belief.actions(), -1),
                      Vector::Constant(belief.actions(), 1)},
        state_bounds(Box::unbounded(belief.states())),
        start(random_rollout(dynamics, kShootingHorizon, static_cast<std::uint64_t>(seed), angles)),
        objective(make(objective_name)) {
    follow(dynamics, start);
  }

  std::unique_ptr<Objective> make(const std::string& name) const {
    if (name != "task") return make_curious_objective(name, belief, Vector::Ones(kShootingHorizon));
    return std::make_unique<Task>(TaskCost{Vector::Constant(belief.states(), 0.5),
                                           Vector::LinSpaced(belief.states(), 1, 3),
                                           Vector::Constant(belief.actions(), 0.1)});
  }

  Shooting begin() {
    Shooting shooting(dynamics, *objective, action_bounds, state_bounds, kShootingHorizon);
    shooting.begin(start.states.col(0), start.actions);
    return shooting;
  }

  // What these actions cost when they are followed from the start.
  double cost_of(const Matrix& actions) const {
    Rollout rollout = start;
    rollout.actions = actions;
    follow(dynamics, rollout);
    return objective->evaluate(rollout);
  }

  std::vector<AnglePair> angles;
  PlanningModel belief;
  MeanDynamics dynamics;
  Box action_bounds, state_bounds;
  Rollout start;
  std::unique_ptr<Objective> objective;
};

class EveryObjective : public testing::TestWithParam<std::string> {};

TEST_P(EveryObjective, NoIterateCostsMoreThanTheOneBefore) {
  for (int seed = 1; seed <= repeats(20, 400); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ShootingCase c(GetParam(), seed);
    Shooting shooting = c.begin();
    EXPECT_NEAR(shooting.cost(), c.cost_of(c.start.actions), 1e-9 * std::abs(shooting.cost()));
    double last = shooting.cost();
    for (int i = 0; i < 40 && shooting.iterate(1, {}); ++i) {
      EXPECT_LE(shooting.cost(), last + 1e-14 * std::abs(last));
      last = shooting.cost();
    }
    EXPECT_LT(last, c.cost_of(c.start.actions)) << "nothing was gained";
  }
}

TEST_P(EveryObjective, CostIsThatOfFollowingTheActions) {
  for (int seed = 1; seed <= repeats(20, 400); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ShootingCase c(GetParam(), seed);
    Shooting shooting = c.begin();
    shooting.iterate(10, {});
    EXPECT_LE(shooting.rollout().defect(), 1e-9);
    const double expected = c.cost_of(shooting.rollout().actions);
    EXPECT_NEAR(shooting.cost(), expected, 1e-9 * std::abs(expected));
  }
}

TEST_P(EveryObjective, ActionsStayInsideTheirBounds) {
  for (int seed = 1; seed <= repeats(20, 400); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ShootingCase c(GetParam(), seed);
    c.start.actions *= 5;  // a start outside is brought inside
    Shooting shooting = c.begin();
    for (int i = 0; i < 30; ++i) {
      EXPECT_LE(shooting.rollout().actions.cwiseAbs().maxCoeff(), 1);
      if (!shooting.iterate(1, {})) break;
    }
  }
}

// By differences of the cost of following the actions, which know nothing of the search.
TEST_P(EveryObjective, NoActionOfAConvergedPlanCanBeImproved) {
  for (int seed = 1; seed <= repeats(12, 200); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ShootingCase c(GetParam(), seed);
    Shooting shooting = c.begin();
    shooting.iterate(20000, {.tolerance = 1e-13});
    ASSERT_EQ(shooting.status(), ShootingStatus::converged);
    const Matrix best = shooting.rollout().actions;
    const double scale = std::abs(shooting.cost()), h = 1e-5;
    for (Index t = 0; t < kShootingHorizon; ++t)
      for (Index i = 0; i < best.rows(); ++i) {
        Matrix up = best, down = best;
        up(i, t) += h;
        down(i, t) -= h;
        const double gradient = (c.cost_of(up) - c.cost_of(down)) / (2 * h);
        if (best(i, t) < -1 + 1e-9)
          EXPECT_GE(gradient, -1e-4 * scale) << "step " << t;
        else if (best(i, t) > 1 - 1e-9)
          EXPECT_LE(gradient, 1e-4 * scale) << "step " << t;
        else
          EXPECT_NEAR(gradient, 0, 1e-4 * scale) << "step " << t;
      }
  }
}

TEST_P(EveryObjective, GapsAreClosedAtTheEnd) {
  for (int seed = 1; seed <= repeats(20, 400); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ShootingCase c(GetParam(), seed);
    Rollout open =
        random_rollout(c.dynamics, kShootingHorizon, static_cast<std::uint64_t>(seed), c.angles);
    ASSERT_GT(open.defect(), 0.1);
    Shooting shooting(c.dynamics, *c.objective, c.action_bounds, c.state_bounds, kShootingHorizon);
    shooting.begin_open(open.states, open.actions);
    shooting.iterate(1000, {});
    EXPECT_EQ(shooting.status(), ShootingStatus::converged);
    EXPECT_LE(shooting.rollout().defect(), 1e-9);
    EXPECT_EQ(shooting.rollout().states.col(0), open.states.col(0));
    const double expected = c.cost_of(shooting.rollout().actions);
    EXPECT_NEAR(shooting.cost(), expected, 1e-6 * std::abs(expected));
  }
}

TEST_P(EveryObjective, WithoutGapsAnOpenStartGoesTheSameWay) {
  ShootingCase c(GetParam(), 5);
  Shooting closed = c.begin();
  closed.iterate(5, {});
  Shooting open(c.dynamics, *c.objective, c.action_bounds, c.state_bounds, kShootingHorizon);
  open.begin_open(c.start.states, c.start.actions);
  open.iterate(5, {});
  EXPECT_EQ(closed.rollout().actions, open.rollout().actions);
}

TEST_P(EveryObjective, ForgetsTheStartBefore) {
  ShootingCase c(GetParam(), 6);
  Shooting used = c.begin(), fresh = c.begin();
  used.begin(c.start.states.col(0), -0.5 * c.start.actions);
  used.iterate(7, {});
  used.begin(c.start.states.col(0), c.start.actions);
  EXPECT_EQ(used.iterations(), 0);
  used.iterate(5, {});
  fresh.begin(c.start.states.col(0), c.start.actions);
  fresh.iterate(5, {});
  EXPECT_EQ(used.rollout().actions, fresh.rollout().actions);
}

// Bounds of the last state, between the path of doing nothing, which is inside, and the best plan,
// which is not.
void bound_the_last_state(ShootingCase& c) {
  c.start.actions.setZero();
  follow(c.dynamics, c.start);
  Shooting wild = c.begin();
  wild.iterate(300, {});
  const Index last = c.belief.states() - 1;
  const Vector idle = c.start.states.row(last), best = wild.rollout().states.row(last);
  c.state_bounds.lower[last] =
      0.6 * idle.minCoeff() + 0.4 * std::min(idle.minCoeff(), best.minCoeff()) - 0.01;
  c.state_bounds.upper[last] =
      0.6 * idle.maxCoeff() + 0.4 * std::max(idle.maxCoeff(), best.maxCoeff()) + 0.01;
}

// Returns how often a bound was in the way.
int expect_state_bounds_of_shooting_hold(const std::string& objective, int first_seed,
                                         int last_seed) {
  int active = 0;
  for (int seed = first_seed; seed <= last_seed; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ShootingCase c(objective, seed);
    bound_the_last_state(c);
    const Index last = c.belief.states() - 1;
    Shooting tame = c.begin();
    tame.iterate(1000, {});
    EXPECT_EQ(tame.status(), ShootingStatus::converged);
    EXPECT_LE(tame.violation(), 1e-6);
    EXPECT_LT(tame.cost(), c.cost_of(c.start.actions)) << "nothing was gained";
    const double width = c.state_bounds.upper[last] - c.state_bounds.lower[last];
    const Vector path = tame.rollout().states.row(last);
    active += path.maxCoeff() > c.state_bounds.upper[last] - 0.01 * width ||
              path.minCoeff() < c.state_bounds.lower[last] + 0.01 * width;
  }
  return active;
}

TEST_P(EveryObjective, StateBoundsHoldAtTheEndWhereTheyAreInTheWay) {
  EXPECT_GT(expect_state_bounds_of_shooting_hold(GetParam(), 1, 20), 10)
      << "bounds were hardly in the way";
}

// One step later, what held the bounds holds the rest of the plan.
TEST_P(EveryObjective, GoesOnFromASearchThatFoundItsBounds) {
  int cold_iterations = 0, warm_iterations = 0;
  for (int seed = 1; seed <= repeats(10, 100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ShootingCase c(GetParam(), seed);
    bound_the_last_state(c);
    Shooting before = c.begin();
    before.iterate(1000, {});
    const Index left = kShootingHorizon - 1;
    const auto objective = GetParam() == "task"
                               ? c.make("task")
                               : make_curious_objective(GetParam(), c.belief, Vector::Ones(left));
    const MeanDynamics dynamics(c.belief, left);
    const auto rest = [&] {
      Shooting shooting(dynamics, *objective, c.action_bounds, c.state_bounds, left);
      shooting.begin(before.rollout().states.col(1), before.rollout().actions.rightCols(left));
      return shooting;
    };
    Shooting cold = rest(), warm = rest();
    const double cost_of_rest = warm.cost();
    warm.go_on_from(before.held(), 1);
    cold.iterate(1000, {});
    warm.iterate(1000, {});
    EXPECT_EQ(warm.status(), ShootingStatus::converged);
    EXPECT_LE(warm.violation(), 1e-6);
    EXPECT_LE(warm.cost(), cost_of_rest + 0.02 * std::abs(cost_of_rest)) << "worse than the rest";
    cold_iterations += cold.iterations();
    warm_iterations += warm.iterations();
  }
  EXPECT_LT(warm_iterations, cold_iterations);
}

TEST_P(EveryObjective, SaysWhenNoPlanIsInsideTheStateBounds) {
  ShootingCase c(GetParam(), 4);
  c.state_bounds.lower[0] = 50;
  c.state_bounds.upper[0] = 51;
  Shooting shooting = c.begin();
  shooting.iterate(5000, {});
  EXPECT_EQ(shooting.status(), ShootingStatus::infeasible);
  EXPECT_GT(shooting.violation(), 1);
}

TEST_P(EveryObjective, SaysWhenTheStartIsNotFinite) {
  ShootingCase c(GetParam(), 4);
  c.belief.W(3, 1) = std::nan("");
  Shooting shooting = c.begin();
  EXPECT_EQ(shooting.status(), ShootingStatus::not_finite);
  EXPECT_FALSE(shooting.iterate(10, {}));
  EXPECT_EQ(shooting.iterations(), 0);
  EXPECT_LE(shooting.rollout().actions.cwiseAbs().maxCoeff(), 1);
}

INSTANTIATE_TEST_SUITE_P(All, EveryObjective, testing::Values("us", "info", "evr", "task"),
                         [](const auto& test) { return test.param; });

TEST(Shooting, ExpandsOnlyWhatWasEvaluatedLast) {
  for (int seed = 1; seed <= repeats(60, 1000); ++seed) {
    ShootingCase c("evr", seed);
    Watched watched(*c.objective);
    const Index last = c.belief.states() - 1;
    c.state_bounds.lower[last] = c.start.states(last, 0) - 0.05;
    c.state_bounds.upper[last] = c.start.states(last, 0) + 0.05;
    Shooting shooting(c.dynamics, watched, c.action_bounds, c.state_bounds, kShootingHorizon);
    if (seed % 2 == 0)
      shooting.begin(c.start.states.col(0), c.start.actions);
    else
      shooting.begin_open(
          random_rollout(c.dynamics, kShootingHorizon, static_cast<std::uint64_t>(seed)).states,
          c.start.actions);
    shooting.iterate(300, {});
    EXPECT_EQ(watched.wrong, 0) << "seed " << seed;
  }
}

// All states as a linear function of all actions, and least squares.
Matrix best_linear_actions(const Linear& system, const TaskCost& task, const Vector& first) {
  const Index nx = system.states(), nu = system.actions(), T = kShootingHorizon;
  Matrix response = Matrix::Zero(nx * T, nu * T);
  Vector free(nx * T);
  Vector state = first;
  for (Index t = 0; t < T; ++t) {
    if (t > 0) response.middleRows(t * nx, nx) = system.A * response.middleRows((t - 1) * nx, nx);
    response.block(t * nx, t * nu, nx, nu) += system.B;
    state = system.A * state + system.constant;
    free.segment(t * nx, nx) = state - task.target;
  }
  const Vector weight = task.weight.replicate(T, 1), action = task.action_weight.replicate(T, 1);
  Matrix normal = response.transpose() * weight.asDiagonal() * response;
  normal.diagonal() += action;
  const Vector right = -(response.transpose() * weight.cwiseProduct(free));
  return Matrix(normal.llt().solve(right).reshaped(nu, T));
}

TEST(Shooting, SolvesALinearQuadraticTaskInOneStep) {
  for (int seed = 1; seed <= repeats(20, 400); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Index nx = 1 + seed % 7, nu = 1 + seed % 3;
    const Linear system = random_linear(nx, nu, static_cast<std::uint64_t>(seed));
    Task task(linear_task(nx, nu));
    const Rollout start =
        random_rollout(system, kShootingHorizon, static_cast<std::uint64_t>(seed));
    const Matrix expected = best_linear_actions(system, linear_task(nx, nu), start.states.col(0));
    for (const bool open : {false, true}) {
      Shooting shooting(system, task, Box::unbounded(nu), Box::unbounded(nx), kShootingHorizon);
      if (open)
        shooting.begin_open(start.states, start.actions);
      else
        shooting.begin(start.states.col(0), start.actions);
      shooting.iterate(1, {});
      EXPECT_LT((shooting.rollout().actions - expected).norm(), 1e-8 * (1 + expected.norm()));
      EXPECT_LT(shooting.rollout().defect(), 1e-9);
    }
  }
}

TEST(Shooting, APlanThatIsNotFiniteIsNotCalledConverged) {
  const Explosion dynamics;
  Task task({Vector::Zero(1), Vector::Ones(1), Vector::Ones(1)});
  for (const double first : {0.2, 1.0, 30.0}) {
    Matrix states = Matrix::Zero(1, kShootingHorizon + 1);
    states(0, 0) = first;
    Shooting shooting(dynamics, task, {Vector::Constant(1, -1), Vector::Constant(1, 1)},
                      Box::unbounded(1), kShootingHorizon);
    shooting.begin_open(states, Matrix::Zero(1, kShootingHorizon));
    shooting.iterate(1000, {});
    EXPECT_TRUE(std::isfinite(shooting.cost()) || shooting.status() != ShootingStatus::converged)
        << first;
  }
}

TEST(Shooting, ConvergesWhereNothingCanBeGained) {
  const ShootingCase c("us", 1);
  for (const double value : {0.0, 1e-300, 1.0, -1e200}) {
    Constant objective(value);
    Shooting shooting(c.dynamics, objective, c.action_bounds, c.state_bounds, kShootingHorizon);
    shooting.begin(c.start.states.col(0), c.start.actions);
    shooting.iterate(100, {});
    EXPECT_EQ(shooting.status(), ShootingStatus::converged) << value;
    EXPECT_TRUE(shooting.rollout().actions.allFinite()) << value;
  }
}

TEST(Shooting, AnInfiniteObjectiveIsNotFinite) {
  const ShootingCase c("us", 1);
  Constant objective(kInfinity);
  Shooting shooting(c.dynamics, objective, c.action_bounds, c.state_bounds, kShootingHorizon);
  shooting.begin(c.start.states.col(0), c.start.actions);
  EXPECT_EQ(shooting.status(), ShootingStatus::not_finite);
}

TEST(Shooting, GoesNoFurtherThanTheStepsItIsGiven) {
  ShootingCase c("us", 1);
  Shooting shooting = c.begin();
  EXPECT_TRUE(shooting.iterate(3, {.tolerance = 0}));
  EXPECT_EQ(shooting.iterations(), 3);
  EXPECT_EQ(shooting.status(), ShootingStatus::running);
}

// The path does not depend on the unit of the cost.
TEST(Shooting, PlansTheSameForACostInAnyUnit) {
  ShootingCase c("task", 2);
  const TaskCost cost{Vector::Constant(c.belief.states(), 0.5), Vector::Ones(c.belief.states()),
                      Vector::Constant(c.belief.actions(), 0.1)};
  Matrix first;
  for (const double unit : {1.0, 0x1p100, 0x1p-100}) {
    Task task({cost.target, unit * cost.weight, unit * cost.action_weight});
    Shooting shooting(c.dynamics, task, c.action_bounds, c.state_bounds, kShootingHorizon);
    shooting.begin(c.start.states.col(0), c.start.actions);
    shooting.iterate(10, {});
    if (first.size() == 0) first = shooting.rollout().actions;
    EXPECT_LT((shooting.rollout().actions - first).norm(), 1e-9) << unit;
  }
}

// Nothing costs anything, so no step is better than another and the gaps stay: what simulation then
// closes is a plan, but no optimum.
TEST(Shooting, ThatClosesGapsBySimulationHasNotConverged) {
  ShootingCase c("task", 1);
  Task worthless({Vector::Zero(c.belief.states()), Vector::Zero(c.belief.states()),
                  Vector::Zero(c.belief.actions())});
  Shooting shooting(c.dynamics, worthless, c.action_bounds, c.state_bounds, kShootingHorizon);
  Matrix states = c.start.states;
  states.rightCols(kShootingHorizon).array() += 0.1;
  shooting.begin_open(states, c.start.actions);
  ASSERT_GT(shooting.rollout().defect(), 0.01);
  shooting.iterate(50, {});
  EXPECT_EQ(shooting.status(), ShootingStatus::stalled);
  EXPECT_LE(shooting.rollout().defect(), 1e-12);
}

}  // namespace
}  // namespace rhc
