#include "rhc/plan/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "rhc/core/error.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/signals.h"
#include "rhc/plan/task.h"
#include "rhc/plan/true_dynamics.h"
#include "rhc/system/registry.h"
#include "tests/plan/random_model.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

constexpr Index kHorizon = 25;

// A small belief and what is to be planned with it.
struct Case {
  explicit Case(int seed, std::string name = "us")
      : belief(
            random_planning_model(25, 3, 1 + seed % 2, static_cast<std::uint64_t>(seed), {{0, 1}})),
        objective(std::move(name)) {}

  PlanProblem problem() const {
    return {.dynamics = [this] { return std::make_unique<MeanDynamics>(belief, kHorizon); },
            .objective = [this]() -> std::unique_ptr<Objective> {
              if (objective == "task")
                return std::make_unique<Task>(TaskCost{Vector{{-1, 0, 0.5}}, Vector{{1, 1, 0.1}},
                                                       Vector::Constant(belief.actions(), 0.1)});
              return make_curious_objective(objective, belief, weights);
            },
            .first_state = Vector{{1, 0, 0.2}},
            .action_bounds = {Vector::Constant(belief.actions(), -1),
                              Vector::Constant(belief.actions(), 2)},
            .state_bounds = Box::unbounded(3),
            .horizon = kHorizon};
  }

  PlanningModel belief;
  std::string objective;
  Vector weights = Vector::Ones(kHorizon);
};

Rollout rollout_of(const PlanProblem& problem, const Matrix& actions) {
  const auto dynamics = problem.dynamics();
  Rollout rollout(dynamics->states(), dynamics->actions(), dynamics->features(), problem.horizon);
  rollout.states.col(0) = problem.first_state;
  rollout.actions = actions;
  follow(*dynamics, rollout);
  return rollout;
}

// To be made small, whatever the objective.
double cost_of(const PlanProblem& problem, const Matrix& actions) {
  return problem.objective()->evaluate(rollout_of(problem, actions));
}

void expect_inside(const Matrix& actions, const Box& bounds) {
  for (Index t = 0; t < actions.cols(); ++t)
    ASSERT_TRUE(bounds.contains(actions.col(t))) << "step " << t << ": " << actions.col(t);
}

const std::vector<std::string> kObjectives = {"us", "info", "evr", "task"};

TEST(Planner, GivesTheSamePlanOnAnyNumberOfThreads) {
  for (const std::string& name : kObjectives) {
    const Case c(1, name);
    PlanProblem problem = c.problem();
    problem.state_bounds.upper[2] = 0.5;
    const PlannerSettings one{.starts = 7, .hops = 9, .threads = 1};
    PlannerSettings three = one;
    three.threads = 3;
    const Plan a = plan(problem, one), b = plan(problem, three);
    EXPECT_EQ(a.actions, b.actions) << name;
    EXPECT_EQ(a.states, b.states) << name;
    EXPECT_EQ(a.objective, b.objective) << name;
    EXPECT_EQ(a.iterations, b.iterations) << name;
    EXPECT_EQ(a.status, b.status) << name;
  }
}

TEST(Planner, IsAtLeastAsGoodAsEverySuggestion) {
  for (int seed = 1; seed <= repeats(10, 200); ++seed)
    for (const std::string& name : kObjectives) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      const Case c(seed, name);
      const PlanProblem problem = c.problem();
      std::vector<Matrix> suggestions;
      for (std::uint64_t i = 0; i < 4; ++i)
        suggestions.push_back(held_signal(problem.action_bounds, kHorizon, 6,
                                          RandomStream(static_cast<std::uint64_t>(seed), "s", i)));
      // One that is already as good as it gets.
      suggestions.push_back(plan(problem, {.starts = 8, .seed = 99}).actions);
      const Plan best = plan(problem, {.starts = 1}, suggestions);
      for (const Matrix& actions : suggestions) {
        const double suggested = cost_of(problem, actions);
        EXPECT_LE(cost_of(problem, best.actions), suggested + 1e-12 * std::abs(suggested));
      }
    }
}

TEST(Planner, IsJudgedByFollowingItsActions) {
  for (int seed = 1; seed <= repeats(10, 200); ++seed)
    for (const std::string& name : kObjectives) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      const Case c(seed, name);
      const PlanProblem problem = c.problem();
      const Plan got = plan(problem, {.starts = 4, .hops = 4});
      const Rollout expected = rollout_of(problem, got.actions);
      EXPECT_EQ(got.states, expected.states);
      const double sign = name == "task" ? 1 : -1;
      EXPECT_DOUBLE_EQ(got.objective, sign * problem.objective()->evaluate(expected));
      EXPECT_EQ(got.defect, 0);
      EXPECT_GT(got.iterations, 0);
      EXPECT_EQ(got.bound_violation, 0);
      EXPECT_EQ(got.status, PlanStatus::converged);
      expect_inside(got.actions, problem.action_bounds);
    }
}

TEST(Planner, AGainIsCountedPositive) {
  const Case c(1, "evr");
  EXPECT_GT(plan(c.problem(), {.starts = 2}).objective, 0);
}

TEST(Planner, MoreHopsAreNeverWorse) {
  for (int seed = 1; seed <= repeats(6, 100); ++seed) {
    const Case c(seed);
    double last = -kInfinity;
    for (const int hops : {0, 4, 20}) {
      const double got = plan(c.problem(), {.starts = 3, .hops = hops}).objective;
      EXPECT_GE(got, last * (1 - 1e-12)) << hops << " hops, seed " << seed;
      last = got;
    }
  }
}

TEST(Planner, GivesUpAfterHopsInVain) {
  Case c(1);
  c.weights.setZero();  // where all hops are in vain
  const int patient = plan(c.problem(), {.starts = 3, .hops = 40}).iterations;
  EXPECT_LT(plan(c.problem(), {.starts = 3, .hops = 40, .patience = 8}).iterations, patient / 2);
}

// There is a plan inside: to do nothing.
void expect_state_bounds_hold(int first_seed, int last_seed) {
  for (int seed = first_seed; seed <= last_seed; ++seed)
    for (const std::string& name : kObjectives) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      const Case c(seed, name);
      PlanProblem problem = c.problem();
      // Not more of the range than half of what doing nothing and the best plan use.
      const Plan wild = plan(problem, {.starts = 3});
      const Rollout idle = rollout_of(problem, Matrix::Zero(c.belief.actions(), kHorizon));
      const Vector still = idle.states.row(2), used = wild.states.row(2);
      problem.state_bounds.lower[2] =
          0.5 * (still.minCoeff() + std::min(still.minCoeff(), used.minCoeff())) - 0.01;
      problem.state_bounds.upper[2] =
          0.5 * (still.maxCoeff() + std::max(still.maxCoeff(), used.maxCoeff())) + 0.01;
      const Plan tame = plan(problem, {.starts = 6, .hops = 4});
      EXPECT_TRUE(tame.status == PlanStatus::converged || tame.status == PlanStatus::stopped)
          << rhc::name(tame.status);
      const double width = problem.state_bounds.upper[2] - problem.state_bounds.lower[2];
      EXPECT_LE(tame.bound_violation, 1e-6 * width);
      EXPECT_LE(tame.states.row(2).rightCols(kHorizon).maxCoeff(),
                problem.state_bounds.upper[2] + 1e-6 * width);
      EXPECT_GE(tame.states.row(2).rightCols(kHorizon).minCoeff(),
                problem.state_bounds.lower[2] - 1e-6 * width);
    }
}

TEST(Planner, StateBoundsHold) { expect_state_bounds_hold(1, 6); }
TEST(Planner, StateBoundsHoldOnManySeeds) { expect_state_bounds_hold(7, repeats(30, 400)); }

TEST(Planner, SaysWhenNoPlanIsInsideTheStateBounds) {
  for (const std::string& name : kObjectives) {
    const Case c(1, name);
    PlanProblem problem = c.problem();
    problem.state_bounds.lower[2] = 70;
    problem.state_bounds.upper[2] = 90;
    const Plan got = plan(problem, {.starts = 3});
    EXPECT_EQ(got.status, PlanStatus::infeasible) << name;
    EXPECT_NEAR(got.bound_violation, 70 - got.states.row(2).rightCols(kHorizon).minCoeff(), 1e-12);
    expect_inside(got.actions, problem.action_bounds);
  }
}

// However little or much the belief knows, there is something to carry out.
TEST(Planner, TakesBeliefsOfAnySharpness) {
  for (const std::string& name : kObjectives)
    for (const double size : {0.0, 1e-200, 1e-20, 1e9, 1e100, 1e150, 1e200})
      for (const bool still : {false, true}) {
        SCOPED_TRACE(testing::Message() << name << ", " << size << (still ? ", still" : ""));
        Case c(2, name);
        c.belief.doubts[0].inverse_factor *= size;
        if (still) c.belief.W.setZero();
        const PlanProblem problem = c.problem();
        const Plan got = plan(problem, {.starts = 4, .hops = 4});
        EXPECT_TRUE(got.actions.allFinite());
        expect_inside(got.actions, problem.action_bounds);
      }
}

// The prior alone may be this vague: variances of 1e10 times the noise are no failure.
TEST(Planner, DoesNotFailOnAVagueBelief) {
  for (const std::string& name : kObjectives)
    for (const double size : {1e-200, 1e-20, 1.0, 1e5}) {
      Case c(2, name);
      c.belief.doubts[0].inverse_factor *= size;
      EXPECT_NE(plan(c.problem(), {.starts = 4}).status, PlanStatus::failed)
          << name << ", " << size;
    }
}

TEST(Planner, TakesTimeWeightsOfZero) {
  for (const char* name : {"us", "info", "evr"}) {
    Case c(2, name);
    c.weights.setZero();
    const Plan got = plan(c.problem(), {.starts = 4, .hops = 4});
    EXPECT_EQ(got.objective, 0) << name;
    EXPECT_NE(got.status, PlanStatus::failed) << name;
    expect_inside(got.actions, c.problem().action_bounds);
  }
}

TEST(Planner, SaysWhenTheDynamicsGiveNoNumber) {
  for (const std::string& name : kObjectives)
    for (const double bad : {std::nan(""), kInfinity}) {
      Case c(3, name);
      c.belief.offset[1] = bad;
      const PlanProblem problem = c.problem();
      const Plan got = plan(problem, {.starts = 4, .hops = 5});
      EXPECT_EQ(got.status, PlanStatus::failed) << name;
      expect_inside(got.actions, problem.action_bounds);
    }
}

TEST(Planner, OneSuggestionThatIsNotFiniteDoesNoHarm) {
  const Case c(3);
  const PlanProblem problem = c.problem();
  const Matrix bad = Matrix::Constant(c.belief.actions(), kHorizon, std::nan(""));
  const Plan got = plan(problem, {.starts = 4}, {bad});
  EXPECT_EQ(got.status, PlanStatus::converged);
  expect_inside(got.actions, problem.action_bounds);
}

TEST(Planner, PlansASingleStep) {
  const Case c(1);
  PlanProblem problem = c.problem();
  problem.horizon = 1;
  problem.dynamics = [&] { return std::make_unique<MeanDynamics>(c.belief, 1); };
  problem.objective = [&] { return make_curious_objective("us", c.belief, Vector::Ones(1)); };
  const Plan got = plan(problem, {.starts = 5, .hops = 8});
  EXPECT_EQ(got.actions.cols(), 1);
  EXPECT_EQ(got.states.cols(), 2);
  for (const double a : {-1.0, 0.0, 1.0, 2.0}) {
    const Matrix other = Matrix::Constant(c.belief.actions(), 1, a);
    EXPECT_LE(cost_of(problem, got.actions), cost_of(problem, other) + 1e-9) << a;
  }
}

TEST(Planner, TakesWhiteStartsToo) {
  const Case c(1);
  const Plan got = plan(c.problem(), {.starts = 4, .signals = StartSignals::white});
  EXPECT_EQ(got.status, PlanStatus::converged);
}

TEST(Planner, AnotherSeedIsAnotherSearch) {
  const Case c(1);
  const PlannerSettings settings{.starts = 3, .most_iterations = 2};
  PlannerSettings other = settings;
  other.seed = 2;
  EXPECT_NE(plan(c.problem(), settings).actions, plan(c.problem(), other).actions);
}

TEST(Planner, StopsWhenItIsToldToOnAnyNumberOfThreads) {
  const Case c(1);
  for (const int threads : {1, 3}) {
    int questions = 0;
    PlannerSettings settings{.hops = 100000000, .threads = threads};
    settings.stop_requested = [&, caller = std::this_thread::get_id()] {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      return ++questions == 100;
    };
    EXPECT_THROW(plan(c.problem(), settings), Interrupted) << threads;
    EXPECT_EQ(questions, 100) << "it is not asked again";
  }
}

TEST(Planner, IsNotChangedByBeingAskedToGoOn) {
  const Case c(1);
  PlannerSettings settings{.hops = 8};
  const Plan alone = plan(c.problem(), settings);
  settings.stop_requested = [] { return false; };
  EXPECT_EQ(plan(c.problem(), settings).actions, alone.actions);
}

TEST(Planner, EveryStatusHasAName) {
  EXPECT_EQ(name(PlanStatus::converged), "converged");
  EXPECT_EQ(name(PlanStatus::stopped), "stopped");
  EXPECT_EQ(name(PlanStatus::shrunk), "shrunk");
  EXPECT_EQ(name(PlanStatus::infeasible), "infeasible");
  EXPECT_EQ(name(PlanStatus::failed), "failed");
}

// The least costs that long searches with many seeds ever found.
TEST(Planner, ReachesTheLeastKnownCostOfEveryTask) {
  struct Known {
    const char* system;
    double cost;
  };
  for (const Known& known :
       {Known{"pendulum", 19343.9}, Known{"cartpole", 18644.2}, Known{"mountain-car", 922.07}}) {
    const System system = make_system(known.system);
    const SystemSpec& spec = system.spec();
    PlannerSettings settings{.starts = 32, .hops = 192, .seed = 1};
    settings.shooting.tolerance = 1e-6;
    const Plan got = plan({.dynamics = [&] { return std::make_unique<TrueDynamics>(system); },
                           .objective = [&] { return std::make_unique<TrueTask>(system); },
                           .first_state = spec.start,
                           .action_bounds = spec.action_bounds,
                           .state_bounds = Box::unbounded(spec.start.size()),
                           .horizon = spec.horizon},
                          settings);
    EXPECT_NEAR(got.objective, known.cost, 1e-3 * known.cost) << known.system;
  }
}

// Drawn in an order that the language fixes: how long to hold, then the signal.
TEST(StartSignal, DrawsHowLongItHoldsFirst) {
  const Box bounds{Vector::Constant(2, -1), Vector::Constant(2, 3)};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream randomness(seed, "plan start", 4);
    const double hold = 50 * randomness.uniform(0.05, 0.4);
    EXPECT_EQ(start_signal(bounds, 50, {.seed = seed}, 4),
              held_signal(bounds, 50, hold, randomness))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace rhc
