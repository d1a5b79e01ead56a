#include "rhc/model/forecast.h"

#include <gtest/gtest.h>

#include "rhc/model/fit_model.h"
#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

// A model of the pendulum; `noise` in standard deviations of an output.
DynamicsModel pendulum_model(double noise, const std::vector<AnglePair>& angles = {}) {
  const Transitions data = explore_at_random(Pendulum{}, {}, 2, 7);
  BayesianLinearModel model(draw_features(25, 4, RandomStream(3, "features")),
                            {Eigen::Vector4d(1.5, 1.5, 4, 2), 1e-2, Vector::Constant(3, noise)},
                            standardization_of(data.outputs));
  model.learn(data);
  return {model, {.observed = 3, .acted = 1, .angles = angles, .action_at_rest = Vector::Zero(1)}};
}

const Vector kFirst = Eigen::Vector3d(-1, 0, 0);

Matrix some_actions(Index steps) {
  Matrix actions(1, steps);
  RandomStream randomness(4, "actions");
  for (double& a : actions.reshaped()) a = randomness.uniform(-1, 1);
  return actions;
}

Vector predicted_difference(const DynamicsModel& model, const Vector& state, const Vector& action) {
  Vector input(state.size() + action.size());
  input << state, action;
  return model.regression.predict(input).mean;
}

TEST(ForecastFrom, RunsThroughTheStatesOfStepByStepPrediction) {
  const DynamicsModel model = pendulum_model(0.01);
  const Matrix actions = some_actions(30);
  const Forecast forecast = forecast_from(model, kFirst, actions);
  EXPECT_EQ(forecast.actions, actions);
  Vector state = kFirst;
  for (Index t = 0; t < 30; ++t) {
    EXPECT_EQ(forecast.mean.col(t), state) << t;
    state += predicted_difference(model, state, actions.col(t));
  }
  EXPECT_EQ(forecast.mean.col(30), state);
}

TEST(Forecast, IsSureOfTheStartAlone) {
  const Forecast forecast = forecast_from(pendulum_model(0.01), kFirst, some_actions(10));
  EXPECT_EQ(forecast.deviation.col(0), Vector::Zero(3));
  EXPECT_TRUE((forecast.deviation.rightCols(10).array() > 0).all());
}

TEST(Forecast, OfOneStepIsThePredictiveDeviation) {
  const DynamicsModel model = pendulum_model(0.01);
  const Matrix actions = some_actions(1);
  Vector input(4);
  input << kFirst, actions;
  const Prediction prediction = model.regression.predict(input);
  const Vector expected = (prediction.epistemic.col(0) + prediction.noise).cwiseSqrt();
  const Forecast forecast = forecast_from(model, kFirst, actions);
  EXPECT_LT((forecast.deviation.col(1) - expected).norm(), 1e-9 * expected.norm());
}

TEST(Forecast, OfNoActionIsTheStart) {
  const Forecast forecast = forecast_from(pendulum_model(0.01), kFirst, Matrix(1, 0));
  EXPECT_EQ(forecast.mean, kFirst);
  EXPECT_EQ(forecast.deviation, Vector::Zero(3));
}

TEST(Forecast, KeepsGivenStates) {
  const Matrix states = Matrix::Random(3, 6), actions = some_actions(5);
  EXPECT_EQ(forecast(pendulum_model(0.01), states, actions).mean, states);
}

TEST(JacobianRows, EqualFiniteDifferences) {
  const DynamicsModel model = pendulum_model(0.01);
  const Matrix rows = jacobian_rows(model.regression, model.outputs());
  RandomStream randomness(5, "points");
  for (int i = 0; i < repeats(20, 1000); ++i) {
    const Vector state = randomness.normals(3), action = randomness.normals(1);
    Vector input(4);
    input << state, action;
    PredictionWorkspace workspace;
    Matrix mean;
    Vector leverage;
    model.regression.predict(input, true, workspace, mean, leverage);
    const Vector slopes = rows * workspace.cosine;
    for (Index k = 0; k < 3; ++k) {
      const double h = 1e-5;
      const Vector step = h * Vector::Unit(3, k);
      const Vector slope = (predicted_difference(model, state + step, action) -
                            predicted_difference(model, state - step, action)) /
                           (2 * h);
      for (Index j = 0; j < 3; ++j)
        EXPECT_NEAR(slopes[j + 3 * k], slope[j], 1e-5 * (1 + std::abs(slope[j]))) << "point " << i;
    }
  }
}

// Trajectories that are disturbed in every step by what the belief is unsure of there, and put back
// on the circle where there is one. The noise is small, so that what bends within it does not
// count.
void expect_deviation_of_disturbed_trajectories(const std::vector<AnglePair>& angles) {
  const DynamicsModel model = pendulum_model(1e-4, angles);
  const Index steps = 12, samples = repeats(4000, 100000);
  const Matrix actions = some_actions(steps);
  const Forecast forecast = forecast_from(model, kFirst, actions);
  RandomStream randomness(6, "disturbances");
  Matrix square = Matrix::Zero(3, steps + 1);
  for (Index s = 0; s < samples; ++s) {
    Vector state = kFirst;
    for (Index t = 0; t < steps; ++t) {
      Vector input(4);
      input << state, actions.col(t);
      const Prediction prediction = model.regression.predict(input);
      const Vector deviation = (prediction.epistemic.col(0) + prediction.noise).cwiseSqrt();
      state += prediction.mean + deviation.cwiseProduct(randomness.normals(3));
      if (!angles.empty()) state.head(2).normalize();
      square.col(t + 1) += (state - forecast.mean.col(t + 1)).cwiseAbs2();
    }
  }
  const Matrix sampled = (square / static_cast<double>(samples)).cwiseSqrt();
  // Near its lowest point the cosine moves with the square of the angle, which no slope sees.
  const double visible = 0.05 * sampled.maxCoeff();
  for (Index t = 1; t <= steps; ++t)
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(forecast.deviation(j, t), sampled(j, t), 0.06 * std::max(sampled(j, t), visible))
          << "output " << j << ", step " << t;
}

TEST(Forecast, DeviatesAsDisturbedTrajectoriesDo) {
  expect_deviation_of_disturbed_trajectories({});
}

TEST(Forecast, StaysOnTheCircleAsDisturbedTrajectoriesDo) {
  expect_deviation_of_disturbed_trajectories({{0, 1}});
  const Forecast forecast = forecast_from(pendulum_model(0.01, {{0, 1}}), kFirst, some_actions(30));
  for (Index t = 0; t <= 30; ++t) EXPECT_NEAR(forecast.mean.col(t).head(2).norm(), 1, 1e-12);
}

}  // namespace
}  // namespace rhc
