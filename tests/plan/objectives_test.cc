#include "rhc/plan/objectives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/error.h"
#include "rhc/plan/entropy.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/step_information.h"
#include "rhc/plan/variance.h"
#include "tests/plan/random_model.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(Objectives, EveryNameIsMade) {
  const PlanningModel belief = random_planning_model(10, 2, 1, 1);
  for (const std::string& name : curious_objectives())
    EXPECT_NE(make_curious_objective(name, belief, Vector::Ones(3)), nullptr) << name;
}

TEST(Objectives, NamesMeanWhatTheySay) {
  const PlanningModel belief = random_planning_model(10, 2, 1, 1);
  const MeanDynamics dynamics(belief, 4);
  const Rollout rollout = random_rollout(dynamics, 4, 1);
  const Vector weights = Vector::LinSpaced(4, 1, 2);
  const auto made = [&](const char* name) {
    return make_curious_objective(name, belief, weights)->evaluate(rollout);
  };
  EXPECT_EQ(made("us"), Variance(belief, weights).evaluate(rollout));
  EXPECT_EQ(made("info"), StepInformation(belief, weights).evaluate(rollout));
  EXPECT_EQ(made("evr"), Entropy(belief, weights).evaluate(rollout));
}

TEST(Objectives, AnUnknownNameGivesTheNearest) {
  const PlanningModel belief = random_planning_model(10, 2, 1, 1);
  const std::string message = message_of<InputError>(
      [&] { (void)make_curious_objective("inof", belief, Vector::Ones(3)); });
  EXPECT_NE(message.find("'info'"), std::string::npos) << message;
}

TEST(Objectives, ExpandAddsToWhatIsThere) {
  const PlanningModel belief = random_planning_model(10, 2, 1, 1);
  const MeanDynamics dynamics(belief, 4);
  const Rollout rollout = random_rollout(dynamics, 4, 1);
  for (const std::string& name : curious_objectives()) {
    const auto objective = make_curious_objective(name, belief, Vector::Ones(4));
    lq::Problem stages(2, 1, 4);
    const auto slope_from = [&](double there) -> Matrix {
      Matrix slope = Matrix::Constant(10, 4, there);
      Expansion expansion{stages, slope};
      objective->evaluate(rollout);
      objective->expand(rollout, expansion);
      return slope;
    };
    EXPECT_LT((slope_from(3) - slope_from(0) - Matrix::Constant(10, 4, 3)).norm(), 1e-12) << name;
  }
}

TEST(Objectives, TimeWeightsCountEveryStepTheLastOrLessAndLess) {
  EXPECT_EQ(time_weights(TimeWeights::uniform, 0.5, 3), Vector::Ones(3));
  EXPECT_EQ(time_weights(TimeWeights::last, 0.5, 3), (Vector{{0, 0, 1}}));
  EXPECT_EQ(time_weights(TimeWeights::discount, 0.5, 3), (Vector{{1, 0.5, 0.25}}));
  EXPECT_EQ(time_weights(TimeWeights::last, 0.5, 1), Vector::Ones(1));
}

}  // namespace
}  // namespace rhc
