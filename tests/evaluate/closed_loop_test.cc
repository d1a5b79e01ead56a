#include "rhc/evaluate/closed_loop.h"

#include <gtest/gtest.h>

#include "rhc/evaluate/task_cost.h"
#include "rhc/evaluate/test_set.h"
#include "rhc/explore/learner.h"
#include "rhc/system/mountain_car.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

DynamicsModel car_learned_from(const Transitions& data) {
  Config config;
  config.system = "mountain-car";
  config.model.features = 30;
  config.model.evidence_starts = 4;
  config.model.forecast_features = 40;
  Learner learner(config, MountainCar{}, 1);
  learner.learn(data);
  return *learner.model();
}

DynamicsModel learned_car(std::uint64_t seed) {
  return car_learned_from(explore_at_random(MountainCar{}, {}, 3, seed));
}

// The truth that comes back is the simulator's, not what was measured of it.
TEST(ClosedLoop, IsValuedOnTheTrueStates) {
  const System car = MountainCar{};
  const DynamicsModel model = learned_car(1);
  const Matrix actions = plan_task(model, car, true, 0, {.starts = 4}).actions;
  const NoiseLevels noise{Eigen::Vector2d(0.02, 0.002), {}};
  const Trajectory seen =
      closed_loop(car, noise, RandomStream(1, "loop"), model, true, actions, {.replan = 10});
  Vector state = car.spec().start;
  for (Index t = 0; t < seen.steps(); ++t) {
    ASSERT_EQ(seen.observations.col(t), car.observe(state)) << t;
    state = car.step(state, seen.actions.col(t));
  }
}

TEST(ClosedLoop, IsTheSameForTheSameNoise) {
  const System car = MountainCar{};
  const DynamicsModel model = learned_car(2);
  const Matrix actions = plan_task(model, car, true, 0, {.starts = 4}).actions;
  const NoiseLevels noise{Eigen::Vector2d(0.02, 0.002), {}};
  const auto done = [&](std::uint64_t seed) {
    return closed_loop(car, noise, RandomStream(seed, "loop"), model, true, actions, {.replan = 10})
        .actions;
  };
  EXPECT_EQ(done(1), done(1));
  EXPECT_NE(done(1), done(2));
}

// Nothing disturbs a perfect model that begins where it is known to be.
TEST(ClosedLoopLimit, IsThePlanWhereOnlySensorsAreNoisy) {
  const System car = MountainCar{};
  const Plan best = plan_with_truth(car, 0, 1);
  const NoiseLevels noise{Eigen::Vector2d(0.02, 0.002), {}};
  EXPECT_NEAR(closed_loop_limit(car, noise, best.actions, {.replan = 25}, 2, 1, 1), best.objective,
              1e-3 * best.objective);
}

TEST(ClosedLoopLimit, DoesNotDependOnTheNumberOfThreads) {
  const System car = MountainCar{};
  const Plan best = plan_with_truth(car, 0, 1);
  const NoiseLevels noise{Eigen::Vector2d(0.02, 0.002), Eigen::Vector2d(0.001, 0.0001)};
  EXPECT_EQ(closed_loop_limit(car, noise, best.actions, {.replan = 0}, 3, 1, 1),
            closed_loop_limit(car, noise, best.actions, {.replan = 0}, 3, 1, 2));
}

// Of a good plan and of none, over systems that the model holds possible.
TEST(BestClosedLoop, TakesThePlanThatFeedbackServesBetter) {
  const System car = MountainCar{};
  // Well known everywhere, so that every draw tells them apart.
  const DynamicsModel model = car_learned_from(draw_uniform_transitions(car, {}, 400));
  Plan good = plan_task(model, car, true, 0, {.starts = 8});
  Plan none = good;
  none.actions.setZero();
  const std::vector<Plan> plans{none, good};
  const ControllerSettings feedback{.replan = 0};
  EXPECT_EQ(&best_closed_loop(plans, model, car, true, 4, 1, feedback, 1), &plans[1]);
}

}  // namespace
}  // namespace rhc
