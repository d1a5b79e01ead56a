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

// With a posterior and an affine part for each output.
struct SeparateCase {
  explicit SeparateCase(std::uint64_t seed)
      : model(random_separate_model(14, 3, 1, seed)),
        belief(planned(model)),
        dynamics(belief, 6),
        rollout(random_rollout(dynamics, 6, seed)) {}

  Regression model;
  PlanningModel belief;
  MeanDynamics dynamics;
  Rollout rollout;
};

TEST(Objectives, OfSeparatePosteriorsHaveTheSlopeOfFiniteDifferences) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const std::string& name : curious_objectives()) {
      SeparateCase c(seed);
      const auto objective = make_curious_objective(name, c.belief, Vector::LinSpaced(6, 0.5, 2));
      lq::Problem stages(3, 1, 6);
      Matrix slope = Matrix::Zero(c.belief.features(), 6);
      Expansion expansion{stages, slope};
      objective->evaluate(c.rollout);
      objective->expand(c.rollout, expansion);
      const double h = 1e-6;
      // The last feature is 1 and cannot move.
      for (Index i = 0; i + 1 < c.belief.features(); ++i)
        for (const Index t : {0, 3, 5}) {
          Rollout up = c.rollout, down = c.rollout;
          up.phi(i, t) += h;
          down.phi(i, t) -= h;
          const double expected = (objective->evaluate(up) - objective->evaluate(down)) / (2 * h);
          EXPECT_NEAR(slope(i, t), expected, 1e-5 * (1 + std::abs(expected)))
              << name << ", seed " << seed << ", feature " << i << ", step " << t;
        }
    }
}

// Near the data, where affine features count as they are.
TEST(Objectives, OfSeparatePosteriorsSumTheirOutputs) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SeparateCase c(seed);
    c.rollout.states *= 1e-3;
    c.rollout.actions *= 1e-3;
    step_everywhere(c.dynamics, c.rollout);
    Matrix inputs(4, 6);
    inputs << c.rollout.states.leftCols(6), c.rollout.actions;
    const Prediction there = c.model.predict(inputs);
    const Matrix leverage = there.noise.cwiseInverse().asDiagonal() * there.epistemic;
    const Vector ones = Vector::Ones(6);
    const double nats = information(c.model, inputs);
    EXPECT_NEAR(Entropy(c.belief, ones).evaluate(c.rollout), -nats, 0.01 * nats);
    EXPECT_NEAR(information_by_output(c.model, inputs).sum(), nats, 1e-9 * nats);
    const double steps = 0.5 * leverage.array().log1p().sum();
    EXPECT_NEAR(StepInformation(c.belief, ones).evaluate(c.rollout), -steps, 0.01 * steps);
    const double variance = leverage.sum() / 3;
    EXPECT_NEAR(Variance(c.belief, ones).evaluate(c.rollout), -variance, 0.01 * variance);
  }
}

// A straight line could still be turned far away: no reason to go there.
TEST(Objectives, AffineFeaturesPromiseNoMoreBeyondTheirReach) {
  SeparateCase c(3);
  const auto nats_at = [&](double distance) {
    c.rollout.states.setConstant(distance);
    step_everywhere(c.dynamics, c.rollout);
    c.rollout.phi.topRows(c.belief.sines()).setZero();
    return -Entropy(c.belief, Vector::Ones(6)).evaluate(c.rollout);
  };
  EXPECT_GT(nats_at(3), 1.2 * nats_at(0.3));
  EXPECT_LT(nats_at(1e6), 1.1 * nats_at(100));
}

TEST(Objectives, TimeWeightsCountEveryStepTheLastOrLessAndLess) {
  EXPECT_EQ(time_weights(TimeWeights::uniform, 0.5, 3), Vector::Ones(3));
  EXPECT_EQ(time_weights(TimeWeights::last, 0.5, 3), (Vector{{0, 0, 1}}));
  EXPECT_EQ(time_weights(TimeWeights::discount, 0.5, 3), (Vector{{1, 0.5, 0.25}}));
  EXPECT_EQ(time_weights(TimeWeights::last, 0.5, 1), Vector::Ones(1));
}

}  // namespace
}  // namespace rhc
