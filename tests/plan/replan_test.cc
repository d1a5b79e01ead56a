#include "rhc/plan/replan.h"

#include <gtest/gtest.h>

#include "rhc/plan/margin.h"
#include "rhc/system/pendulum.h"
#include "tests/plan/random_model.h"

namespace rhc {
namespace {

SystemSpec short_swing() {
  SystemSpec spec = Pendulum{}.spec();
  spec.horizon = 20;
  return spec;
}

struct Swing {
  SystemSpec spec = short_swing();
  DynamicsModel model{random_model(30, 3, 1, 7), shape_of(spec, true)};

  ModelPlanProblem problem(const Trajectory& before) const {
    return {.model = model,
            .spec = spec,
            .before = before,
            .horizon = spec.horizon - before.steps(),
            .limits = Box::unbounded(3),
            .objective = task_objective(spec.task)};
  }
};

// From where the plan leads, its rest is what a search would have to beat by more than a little.
TEST(ReplanWithModel, KeepsThePlanThatItIsOn) {
  const Swing swing;
  const Trajectory start = standing_at(Eigen::Vector3d(-1, 0, 0), 1);
  const Plan plan = plan_with_model(swing.problem(start), {.starts = 16, .hops = 32});
  double cost = 0;
  Matrix rest = plan.actions;
  Trajectory before = start;
  for (Index t = 0; t < swing.spec.horizon - 1; ++t) {
    const Plan next = replan_with_model(swing.problem(before), {.starts = 3, .seed = 5}, rest);
    EXPECT_LE(next.objective,
              follow_with_model(swing.problem(before), rest).objective * (1 + 1e-12));
    const Trajectory one{next.states.leftCols(2), next.actions.leftCols(1)};
    cost += swing.spec.task.stage_cost(one.observations.col(0), one.actions.col(0));
    before.observations.conservativeResize(3, t + 2);
    before.observations.col(t + 1) = next.states.col(1);
    before.actions.conservativeResize(1, t + 1);
    before.actions.col(t) = next.actions.col(0);
    rest = next.actions.rightCols(next.actions.cols() - 1);
  }
  cost += swing.spec.task.total({follow_with_model(swing.problem(before), rest).states, rest});
  EXPECT_LE(cost, plan.objective * 1.001);
}

// What moves towards a limit is not always safest without actions.
TEST(ReplanWithModel, ComesLeastNearToTheLimitsWhereNothingKeepsItsMargin) {
  Swing swing;
  swing.spec.limits.lower[2] = -0.5;
  swing.spec.limits.upper[2] = 0.5;
  const Trajectory start = standing_at(Eigen::Vector3d(-1, 0, 0.4), 1);
  const auto breach = [&](const ModelPlanProblem& problem, const Matrix& actions) {
    const Plan plan = follow_with_model(problem, actions);
    return farthest_breach(forecast(swing.model, start, plan.states, plan.actions),
                           swing.spec.limits, problem.sigmas);
  };
  for (const double action : {-1.0, 0.0, 1.0}) {
    ModelPlanProblem problem = swing.problem(start);
    problem.limits = swing.spec.limits;
    problem.sigmas = 10;
    const Matrix rest = Matrix::Constant(1, swing.spec.horizon, action);
    const Plan found = replan_with_model(problem, {.starts = 4}, rest);
    EXPECT_EQ(found.status, PlanStatus::infeasible) << action;
    EXPECT_LE(breach(problem, found.actions),
              std::min(breach(problem, rest), breach(problem, 0 * rest)) * (1 + 1e-9))
        << action;
  }
}

TEST(ReplanWithModel, LeavesABadPlan) {
  const Swing swing;
  const Trajectory start = standing_at(Eigen::Vector3d(-1, 0, 0), 1);
  const Matrix nothing = Matrix::Zero(1, swing.spec.horizon);
  const Plan found = replan_with_model(swing.problem(start), {.starts = 8}, nothing);
  EXPECT_LT(found.objective,
            follow_with_model(swing.problem(start), nothing).objective * (1 - kWorthLeaving));
}

}  // namespace
}  // namespace rhc
