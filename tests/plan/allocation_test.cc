#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/shooting.h"
#include "rhc/plan/task.h"
#include "tests/count_allocations.h"
#include "tests/plan/random_model.h"

namespace rhc {
namespace {

class EveryObjective : public testing::TestWithParam<std::string> {};

struct Size {
  Index features, horizon, states, actions;
};

TEST(Allocations, AreCounted) {
  std::unique_ptr<Matrix> kept;
  EXPECT_GE(allocations_of([&] { kept = std::make_unique<Matrix>(Matrix::Zero(5, 5)); }), 2);
  EXPECT_EQ(allocations_of([&] { kept->setOnes(); }), 0);
}

TEST_P(EveryObjective, IteratingAllocatesNothing) {
  const std::vector<AnglePair> angles = {{0, 1}};
  for (const Size& size :
       {Size{30, 20, 3, 1}, Size{60, 100, 3, 1}, Size{100, 100, 5, 1}, Size{120, 130, 2, 1},
        Size{200, 130, 5, 1}, Size{200, 20, 8, 1}, Size{30, 130, 4, 2}, Size{200, 130, 7, 3}}) {
    const PlanningModel belief =
        random_planning_model(size.features, size.states, size.actions, 1, angles);
    const MeanDynamics dynamics(belief, size.horizon);
    const Vector weights = Vector::Ones(size.horizon);
    std::unique_ptr<Objective> objective;
    if (GetParam() == "task")
      objective =
          std::make_unique<Task>(TaskCost{Vector::Zero(size.states), Vector::Ones(size.states),
                                          Vector::Constant(size.actions, 0.1)});
    else
      objective = make_curious_objective(GetParam(), belief, weights);
    Box state_bounds = Box::unbounded(size.states);
    state_bounds.lower[1] = -0.9;  // now and then in the way
    Shooting shooting(dynamics, *objective,
                      {Vector::Constant(size.actions, -1), Vector::Constant(size.actions, 1)},
                      state_bounds, size.horizon);
    const Rollout open = random_rollout(dynamics, size.horizon, 1, angles);
    for (const bool closed : {true, false}) {
      if (closed)
        shooting.begin(open.states.col(0), open.actions);
      else
        shooting.begin_open(open.states, open.actions);
      EXPECT_EQ(allocations_of([&] { shooting.iterate(15, {}); }), 0)
          << size.features << " features, " << size.horizon << " steps, " << size.states
          << " states, " << size.actions << " actions" << (closed ? "" : ", with gaps");
      EXPECT_GT(shooting.iterations(), 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryObjective, testing::Values("us", "info", "evr", "task"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace rhc
