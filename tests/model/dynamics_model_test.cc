#include "rhc/model/dynamics_model.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/model/information.h"
#include "rhc/system/cartpole.h"
#include "tests/plan/random_model.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

DynamicsModel with_history(Index history) {
  return {
      BayesianLinearModel(draw_features(20, 3 * history, RandomStream(1, "draw")),
                          {Vector::Ones(3 * history), 0.5, Vector::Constant(2, 0.1)},
                          {Vector::Zero(2), Vector::Ones(2)}),
      {.observed = 2, .acted = 1, .history = history, .action_at_rest = Vector::Constant(1, 0.25)}};
}

TEST(DynamicsModel, RefusesARegressionOfAnotherShape) {
  const std::string message = message_of<InputError>(
      [] { DynamicsModel(random_model(10, 3, 1, 1), {.observed = 2, .acted = 1}); });
  EXPECT_EQ(message, "the model has 4 inputs and 3 outputs, the system has 3 and 2");
}

TEST(DynamicsModel, SeesAPastAtRest) {
  const DynamicsModel model = with_history(2);
  Matrix observations(2, 3), actions(1, 2);
  observations << 1, 2, 3, 4, 5, 6;
  actions << 0.5, 0.75;
  Matrix expected(6, 2);
  expected << 1, 2, 4, 5, 1, 1, 4, 4, 0.25, 0.5, 0.5, 0.75;
  EXPECT_EQ(model.inputs(observations, actions), expected);
}

TEST(DynamicsModel, InformationIsThatOfItsInputs) {
  const DynamicsModel model = with_history(3);
  const Matrix observations = Matrix::Random(2, 9), actions = Matrix::Random(1, 8);
  EXPECT_EQ(model.information(observations, actions),
            information(model.regression, model.inputs(observations, actions)));
}

// What was imagined tells nothing new the second time, and moves no prediction.
TEST(DynamicsModel, ImaginingMakesItSurerButNotWiser) {
  DynamicsModel model = with_history(1);
  model.regression.learn({Matrix::Random(3, 30), Matrix::Random(2, 30)});
  const Trajectory expected{Matrix::Random(2, 9), Matrix::Random(1, 8)};
  const DynamicsModel surer = model.imagining({expected});
  EXPECT_LT(surer.information(expected.observations, expected.actions),
            0.8 * model.information(expected.observations, expected.actions));
  const Matrix points = Matrix::Random(3, 20);
  const Matrix before = model.regression.predict(points).mean;
  EXPECT_LT((surer.regression.predict(points).mean - before).norm(), 1e-8 * before.norm());
}

TEST(ShapeOf, KeepsAnglesOnTheirCirclesWhereAsked) {
  const SystemSpec spec = Cartpole{}.spec();
  EXPECT_EQ(shape_of(spec, true).angles.size(), 1U);
  EXPECT_TRUE(shape_of(spec, false).angles.empty());
  EXPECT_EQ(shape_of(spec, true).inputs(), spec.inputs());
}

TEST(DynamicsModel, DrawsWeightsInPairsAroundItsOwn) {
  const DynamicsModel model(random_separate_model(12, 2, 1, 3), {.observed = 2, .acted = 1});
  const auto draws = model.drawn_weights(6, 1);
  ASSERT_EQ(draws.size(), 6u);
  for (std::size_t g = 0; g < 2; ++g) {
    const Matrix& mean = model.regression.groups[g].posterior.weights;
    EXPECT_LT((draws[2][g] + draws[3][g] - 2 * mean).norm(), 1e-12 * (1 + mean.norm()));
    EXPECT_GT((draws[0][g] - draws[2][g]).norm(), 0);
  }
  EXPECT_EQ(draws, model.drawn_weights(6, 1));
}

// So the doubt is that of the draws, whatever else predictions bear.
TEST(DynamicsModel, DoubtsItsWeightsByTheNoiseThatDataLeft) {
  DynamicsModel model(random_separate_model(12, 2, 1, 3), {.observed = 2, .acted = 1});
  const Vector input = Eigen::Vector3d(0.3, -0.2, 0.5), before = model.doubt(input);
  for (OutputGroup& group : model.regression.groups) group.posterior.predicted_noise *= 10;
  EXPECT_EQ(model.doubt(input), before);
  EXPECT_NEAR(model.regression.predict(input).epistemic(1, 0), 100 * before[1], 1e-9 * before[1]);
}

TEST(DynamicsModel, DrawsTheWeightsThatTrajectoriesLeftPossible) {
  DynamicsModel model(random_separate_model(12, 2, 1, 3), {.observed = 2, .acted = 1});
  model.weight_draws = {{Matrix::Zero(1, 1)}, {Matrix::Ones(1, 1)}};
  EXPECT_EQ(model.drawn_weights(3, 1)[1], model.weight_draws[1]);
  EXPECT_EQ(model.drawn_weights(3, 1)[2], model.weight_draws[0]);
}

}  // namespace
}  // namespace rhc
