#include "rhc/plan/plan_over_draws.h"

#include <gtest/gtest.h>

#include "rhc/model/circle.h"
#include "rhc/model/fit_model.h"
#include "rhc/system/pendulum.h"
#include "rhc/system/plant.h"
#include "tests/model/noisy_pendulum.h"

namespace rhc {
namespace {

SystemSpec short_task() {
  SystemSpec spec = Pendulum{}.spec();
  spec.horizon = 25;
  return spec;
}

// A model of the pendulum from so many random episodes.
DynamicsModel learned(int episodes, std::uint64_t seed, double noise = 0.02) {
  const auto seen = noisy_episodes({Eigen::Vector3d(noise, noise, 5 * noise), {}}, episodes, seed);
  const auto draw = draw_features(40, 4, RandomStream(seed, "features"));
  return {fit_model(draw, concatenate(seen), {.starts = 4}).model,
          shape_of(Pendulum{}.spec(), true)};
}

ModelPlanProblem task_of(const DynamicsModel& model, const SystemSpec& spec) {
  return {.model = model,
          .spec = spec,
          .before = standing_at(Pendulum{}.observe(spec.start), 1),
          .horizon = spec.horizon,
          .limits = Box::unbounded(3),
          .objective = task_objective(spec.task)};
}

TEST(TaskOverDraws, ExpectsTheMeanCostOfItsSystems) {
  const SystemSpec spec = short_task();
  const DynamicsModel model = learned(2, 1);
  const ModelPlanProblem problem = task_of(model, spec);
  RandomStream randomness(1, "actions");
  Matrix actions(1, spec.horizon);
  for (double& a : actions.reshaped()) a = randomness.uniform(-1, 1);

  double sum = 0;
  for (const auto& weights : model.drawn_weights(6, 9)) {
    Regression drawn = model.regression;
    drawn.groups[0].posterior.weights = weights[0];
    Matrix seen = problem.before.observations.replicate(1, spec.horizon + 1);
    for (Index t = 0; t < spec.horizon; ++t) {
      Vector z(4);
      z << seen.col(t), actions.col(t);
      seen.col(t + 1) = seen.col(t) + drawn.predict(z).mean;
      project_on_circles(model.shape.angles, seen.col(t + 1));
    }
    sum += spec.task.total({seen, actions});
  }
  EXPECT_NEAR(TaskOverDraws(problem, 6, 9).expected(actions), sum / 6, 1e-9 * sum);
}

TEST(TaskOverDraws, EndsWhereNoNeighbourIsBetter) {
  const SystemSpec spec = short_task();
  const DynamicsModel model = learned(2, 2);
  const ModelPlanProblem problem = task_of(model, spec);
  TaskOverDraws task(problem, 8, 1);
  const Matrix begin = 0.3 * Matrix::Ones(1, spec.horizon);
  const Matrix end = task.improved(begin, 100);
  const double cost = task.expected(end);
  EXPECT_LT(cost, task.expected(begin));
  EXPECT_LE(end.cwiseAbs().maxCoeff(), 1.0);
  for (Index t = 0; t < spec.horizon; ++t)
    for (const double by : {-0.02, 0.02}) {
      Matrix other = end;
      other(0, t) = std::clamp(other(0, t) + by, -1.0, 1.0);
      EXPECT_GT(task.expected(other), cost - 2e-4 * cost) << "step " << t << ", " << by;
    }
}

TEST(PlanOverDraws, ExpectsNoMoreThanThePlanForTheMean) {
  SystemSpec spec = short_task();
  spec.horizon = 60;
  bool better = false;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const DynamicsModel model = learned(1, seed, 0.05);
    const ModelPlanProblem problem = task_of(model, spec);
    const PlannerSettings settings{.starts = 4, .seed = seed};
    TaskOverDraws task(problem, 16, seed);
    const double for_mean = task.expected(plan_over_draws(problem, 0, settings).actions);
    const double over_draws = task.expected(plan_over_draws(problem, 16, settings).actions);
    EXPECT_LE(over_draws, for_mean * (1 + 1e-12)) << "seed " << seed;
    better = better || over_draws < 0.999 * for_mean;
  }
  EXPECT_TRUE(better);
}

TEST(PlanOverDraws, IsThePlanForTheMeanWhereTheDrawsAgree) {
  const SystemSpec spec = short_task();
  const DynamicsModel model = learned(6, 4, 0);
  const ModelPlanProblem problem = task_of(model, spec);
  const PlannerSettings settings{.starts = 4};
  EXPECT_EQ(plan_over_draws(problem, 8, settings).actions,
            plan_with_model(problem, settings).actions);
}

TEST(PlanOverDraws, KeepsTheRateOfTheActions) {
  SystemSpec spec = short_task();
  spec.safety.rate = Vector::Constant(1, 2.5);
  const DynamicsModel model = learned(1, 5, 0.05);
  const Plan plan = plan_over_draws(task_of(model, spec), 8, {.starts = 4});
  const double most = 2.5 * spec.time_step;
  EXPECT_LE(std::abs(plan.actions(0, 0)), most + 1e-12);
  for (Index t = 1; t < spec.horizon; ++t)
    EXPECT_LE(std::abs(plan.actions(0, t) - plan.actions(0, t - 1)), most + 1e-12) << t;
}

}  // namespace
}  // namespace rhc
