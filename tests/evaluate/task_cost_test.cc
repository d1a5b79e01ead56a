#include "rhc/evaluate/task_cost.h"

#include <gtest/gtest.h>

#include "rhc/evaluate/test_set.h"
#include "rhc/model/fit_model.h"
#include "rhc/system/mountain_car.h"
#include "rhc/system/pendulum.h"
#include "rhc/system/registry.h"

namespace rhc {
namespace {

TEST(TaskCostOf, HangingStillIsWhatThePaperSays) {
  EXPECT_NEAR(task_cost(Pendulum{}, Matrix::Zero(1, 100)), 40400, 1);
}

// The best costs known for the paper's tasks.
TEST(TaskCostLimit, ReachesTheBestKnownCosts) {
  EXPECT_NEAR(*task_cost_limit(make_system("mountain-car"), 0, 2), 922.07, 0.922);
  EXPECT_NEAR(*task_cost_limit(make_system("pendulum"), 320, 2), 19343.9, 19.3);
  EXPECT_NEAR(*task_cost_limit(make_system("cartpole"), 0, 2), 18644.2, 18.6);
}

TEST(TaskCostLimit, IsNothingForASystemThatIsNeverFinite) {
  struct Broken : Pendulum {
    Vector step(const Vector&, const Vector&) const { return Vector::Constant(2, std::nan("")); }
  };
  EXPECT_FALSE(task_cost_limit(Broken{}, 4, 1).has_value());
}

TEST(PlanTask, WithAGoodModelCostsInTruthWhatItPredicts) {
  const System system = MountainCar{};
  const auto draw = draw_features(50, 3, RandomStream(1, "features"));
  const DynamicsModel model(
      fit_model(draw, draw_uniform_transitions(system, {}, 600), {.starts = 8}).model,
      shape_of(system.spec(), true));
  const Plan plan = plan_task(model, system, true, 0, {.starts = 8});
  EXPECT_NEAR(task_cost(system, plan.actions), plan.objective, 1e-3 * plan.objective);
  EXPECT_NEAR(plan.objective, 922.07, 5);
}

// A task that begins outside a limit comes back inside: the limit is no less one for it.
TEST(PlanTask, KeepsTheLimitsAlsoFromAStartOutside) {
  struct Limited : MountainCar {
    SystemSpec spec() const {
      SystemSpec s = MountainCar::spec();
      s.limits.upper[1] = 0.01;
      s.start = Eigen::Vector2d(-0.5, 0.0105);
      s.horizon = 30;
      return s;
    }
  };
  const System system = Limited{};
  const auto draw = draw_features(50, 3, RandomStream(1, "features"));
  const DynamicsModel model(
      fit_model(draw, draw_uniform_transitions(MountainCar{}, {}, 600), {.starts = 8}).model,
      shape_of(system.spec(), true));
  const Plan plan = plan_task(model, system, true, 0, {.starts = 4});
  ASSERT_NE(plan.status, PlanStatus::infeasible);
  EXPECT_LE(plan.states.row(1).tail(30).maxCoeff(), 0.01 + 1e-6);
}

}  // namespace
}  // namespace rhc
