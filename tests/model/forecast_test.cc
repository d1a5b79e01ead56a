#include "rhc/model/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>

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

// Where next to nothing is open, all possible systems move as the mean does.
TEST(ForecastFrom, RunsThroughTheStatesOfStepByStepPredictionWhereTheModelIsSure) {
  const DynamicsModel model = pendulum_model(1e-9);
  const Matrix actions = some_actions(30);
  const Forecast forecast = forecast_from(model, kFirst, actions);
  EXPECT_EQ(forecast.actions, actions);
  Vector state = kFirst;
  for (Index t = 0; t < 30; ++t) {
    EXPECT_LT((forecast.mean.col(t) - state).norm(), 1e-5) << t;
    state += predicted_difference(model, state, actions.col(t));
  }
}

// Two systems without noise, one to either side of the mean: all end where one of them does.
TEST(Forecast, FollowsTheWeightsThatWholeTrajectoriesLeavePossible) {
  DynamicsModel model = pendulum_model(0.01);
  model.noise = NoiseSplit{Vector::Zero(3), Vector::Zero(3)};
  const Matrix& weights = model.regression.groups[0].posterior.weights;
  const Matrix off = 0.01 * weights;
  model.weight_draws = {{weights + off}, {weights - off}};
  const Matrix actions = some_actions(5);
  const Forecast forecast = forecast_from(model, kFirst, actions);
  DynamicsModel one = model, other = model;
  one.regression.groups[0].posterior.weights += off;
  other.regression.groups[0].posterior.weights -= off;
  for (DynamicsModel* alone : {&one, &other})
    alone->weight_draws = {{alone->regression.groups[0].posterior.weights},
                           {alone->regression.groups[0].posterior.weights}};
  const Matrix up = forecast_from(one, kFirst, actions).mean - forecast.mean;
  const Matrix down = forecast_from(other, kFirst, actions).mean - forecast.mean;
  const Matrix furthest = up.cwiseAbs().cwiseMax(down.cwiseAbs());
  EXPECT_GT(furthest.col(5).minCoeff(), 0);
  EXPECT_LT((1.959964 * forecast.deviation - furthest).norm(), 1e-9 * furthest.norm());
}

// 95 of 100 of so many normal numbers reach as far as expected, give or take this share; the
// average of many such reaches is nearer.
constexpr double kSpread = 0.5, kSpreadOfAverage = 0.12;

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
  for (Index j = 0; j < 3; ++j)
    EXPECT_NEAR(forecast.deviation(j, 1), expected[j], kSpread * expected[j]);
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

// A model with a posterior and an affine part for each output.
DynamicsModel separate_model(double noise, const std::vector<AnglePair>& angles = {}) {
  const Transitions data = explore_at_random(Pendulum{}, {}, 2, 7);
  std::vector<OutputGroup> groups;
  for (Index j = 0; j < 3; ++j) {
    FourierFeatures draw =
        draw_features(12 + j, 4, RandomStream(static_cast<std::uint64_t>(3 + j), "features"));
    draw.centre = standardization_of(data.inputs).mean;
    draw.scale = standardization_of(data.inputs).scale;
    groups.push_back({{j},
                      {draw,
                       {(1.0 + 0.2 * static_cast<double>(j)) * Eigen::Vector4d(1.5, 1.5, 4, 2),
                        1e-2, Vector::Constant(1, noise * static_cast<double>(1 + j)), 0.1},
                       standardization_of(data.outputs.row(j))}});
  }
  Regression regression(std::move(groups));
  regression.learn(data);
  return {regression,
          {.observed = 3, .acted = 1, .angles = angles, .action_at_rest = Vector::Zero(1)}};
}

// A model with the features of a network.
DynamicsModel network_model() {
  DynamicsModel model = separate_model(0.01);
  FourierFeatures features = model.regression.groups[0].posterior.features;
  RandomStream r(3, "network");
  const auto layer = [&](Index width, Index inputs) {
    Matrix weights(width, inputs);
    for (double& v : weights.reshaped()) v = r.normal() / std::sqrt(static_cast<double>(inputs));
    return SineLayer{weights, r.normals(width)};
  };
  features.hidden = {layer(9, 4), layer(8, 9)};
  features.P = layer(features.sines(), 8).weights;
  const Transitions data = explore_at_random(Pendulum{}, {}, 2, 7);
  BayesianLinearModel posterior(features, {features.bandwidth, 0.1, Vector::Constant(3, 0.1), 0.1},
                                standardization_of(data.outputs));
  posterior.learn(data);
  model.regression = std::move(posterior);
  return model;
}

void expect_jacobian_of_differences(const DynamicsModel& model) {
  const MeanJacobian mean_jacobian(model.regression, model.outputs());
  RandomStream randomness(5, "points");
  for (int i = 0; i < repeats(20, 1000); ++i) {
    const Vector state = randomness.normals(3), action = randomness.normals(1);
    Vector input(4);
    input << state, action;
    RegressionWorkspace workspace;
    Matrix mean, leverage, slopes;
    model.regression.predict(input, true, workspace, mean, leverage);
    mean_jacobian.evaluate(input, workspace, slopes);
    for (Index k = 0; k < 3; ++k) {
      const double h = 1e-5;
      const Vector step = h * Vector::Unit(3, k);
      const Vector slope = (predicted_difference(model, state + step, action) -
                            predicted_difference(model, state - step, action)) /
                           (2 * h);
      for (Index j = 0; j < 3; ++j)
        EXPECT_NEAR(slopes(j + 3 * k), slope[j], 1e-5 * (1 + std::abs(slope[j]))) << "point " << i;
    }
  }
}

TEST(MeanJacobian, EqualsFiniteDifferences) {
  expect_jacobian_of_differences(pendulum_model(0.01));
  expect_jacobian_of_differences(separate_model(0.01));
  expect_jacobian_of_differences(network_model());
  DynamicsModel knowing = pendulum_model(0.01);
  knowing.regression.known = kinematics({{.speed = 2, .position = 0, .sine = 1}}, 1, 0.08);
  expect_jacobian_of_differences(knowing);
}

// Trajectories of systems that are held possible, each with its own weights at all steps, disturbed
// by the noise of every step, and put back on the circle where there is one: step by step and one
// by one, with other random numbers.
void expect_deviation_of_possible_systems(const DynamicsModel& model, Index steps) {
  const std::vector<AnglePair>& angles = model.shape.angles;
  const Index samples = repeats(2000, 20000);
  const Vector noise = model.regression.noise_variance().cwiseSqrt();
  const Matrix actions = some_actions(steps);
  const Forecast forecast = forecast_from(model, kFirst, actions);
  RandomStream randomness(6, "possible systems");
  std::vector<std::vector<double>> distances(static_cast<std::size_t>(3 * steps));
  for (Index s = 0; s < samples; ++s) {
    const DynamicsModel possible = model.drawn(randomness);
    Vector state = kFirst;
    for (Index t = 0; t < steps; ++t) {
      state += predicted_difference(possible, state, actions.col(t)) +
               noise.cwiseProduct(randomness.normals(3));
      if (!angles.empty()) state.head(2).normalize();
      for (Index j = 0; j < 3; ++j)
        distances[static_cast<std::size_t>(3 * t + j)].push_back(state[j] -
                                                                 forecast.mean(j, t + 1));
    }
  }
  double ratios = 0;
  for (Index t = 1; t <= steps; ++t)
    for (Index j = 0; j < 3; ++j) {
      std::vector<double>& all = distances[static_cast<std::size_t>(3 * (t - 1) + j)];
      // A middle of cosines and of sines is put back on the circle.
      if (angles.empty()) {
        EXPECT_NEAR(static_cast<double>(
                        std::count_if(all.begin(), all.end(), [](double off) { return off < 0; })) /
                        static_cast<double>(samples),
                    0.5, 0.15)
            << "output " << j << ", step " << t;
      }
      for (double& off : all) off = std::abs(off);
      const auto end = all.begin() + samples * 95 / 100;
      std::nth_element(all.begin(), end, all.end());
      EXPECT_NEAR(forecast.deviation(j, t), *end / 1.96, kSpread * *end / 1.96)
          << "output " << j << ", step " << t;
      ratios += forecast.deviation(j, t) / (*end / 1.96);
    }
  EXPECT_NEAR(ratios / static_cast<double>(3 * steps), 1, kSpreadOfAverage);
}

TEST(Forecast, DeviatesAsPossibleSystemsDo) {
  expect_deviation_of_possible_systems(pendulum_model(1e-4), 12);
  expect_deviation_of_possible_systems(pendulum_model(1e-4), 40);
}

TEST(Forecast, DeviatesAsPossibleSystemsDoWhereEachOutputHasItsPosterior) {
  expect_deviation_of_possible_systems(separate_model(1e-4), 20);
}

TEST(Forecast, StaysOnTheCircleAsPossibleSystemsDo) {
  expect_deviation_of_possible_systems(pendulum_model(1e-4, {{0, 1}}), 12);
  expect_deviation_of_possible_systems(separate_model(1e-4, {{0, 1}}), 12);
  const Forecast forecast = forecast_from(pendulum_model(0.01, {{0, 1}}), kFirst, some_actions(30));
  for (Index t = 0; t <= 30; ++t) EXPECT_NEAR(forecast.mean.col(t).head(2).norm(), 1, 1e-12);
}

TEST(Forecast, OfAMeasurementHasTheNoiseOfTheSensor) {
  DynamicsModel model = pendulum_model(1e-4);
  const Forecast exact = forecast_from(model, kFirst, some_actions(5));
  model.noise = NoiseSplit{Eigen::Vector3d(0.3, 0.4, 0.5), Vector::Zero(3)};
  const Forecast noisy = forecast_from(model, kFirst, some_actions(5));
  for (Index j = 0; j < 3; ++j)
    EXPECT_GT(noisy.deviation(j, 1), (1 - kSpread) * model.noise->sensor[j]);
}

TEST(Forecast, IsAsWideAsItIsScaled) {
  DynamicsModel model = pendulum_model(0.01);
  const Forecast plain = forecast_from(model, kFirst, some_actions(5));
  model.band_scale = Eigen::Vector3d(1, 2, 0.5);
  const Forecast scaled = forecast_from(model, kFirst, some_actions(5));
  EXPECT_EQ(scaled.deviation.row(0), plain.deviation.row(0));
  EXPECT_EQ(scaled.deviation.row(1), 2 * plain.deviation.row(1));
  EXPECT_EQ(scaled.deviation.row(2), 0.5 * plain.deviation.row(2));
}

// A straight line that no data hold doubles what it sees at every step.
TEST(Forecast, StaysWithinReachWhereTheModelRunsAway) {
  FourierFeatures features = draw_features(4, 2, RandomStream(1, "features"));
  features.centre = Vector::Zero(2);
  features.scale = Vector::Ones(2);
  BayesianLinearModel posterior(features, {Vector::Ones(2), 1, Vector::Constant(1, 0.1), 1e-4},
                                {Vector::Zero(1), Vector::Ones(1)});
  DynamicsModel model(Regression(posterior),
                      {.observed = 1, .acted = 1, .action_at_rest = Vector::Zero(1)});
  model.reach = {Vector::Constant(1, -10), Vector::Constant(1, 10)};
  const Forecast forecast = forecast_from(model, Vector::Zero(1), some_actions(60));
  EXPECT_LE(forecast.deviation.maxCoeff(), 20 / 1.95);
  EXPECT_GT(forecast.deviation(0, 60), 1);
}

TEST(RelativeReach, IsOneWhereABandIsRight) {
  RandomStream randomness(8, "measurements");
  const Index steps = 4000;
  Forecast announced{Matrix::Random(2, steps + 1), Matrix(2, steps + 1), Matrix::Zero(1, steps)};
  announced.deviation.row(0).setConstant(0.3);
  announced.deviation.row(1).setConstant(2);
  Trajectory seen{announced.mean, announced.actions};
  for (Index t = 1; t <= steps; ++t) {
    seen.observations(0, t) += 0.3 * randomness.normal();
    seen.observations(1, t) += 6 * randomness.normal();
  }
  const Vector reach = relative_reach(announced, seen);
  EXPECT_NEAR(reach[0], 1, 0.07);
  EXPECT_NEAR(reach[1], 3, 0.2);
  EXPECT_EQ(relative_reach(announced, {seen.observations.leftCols(1), Matrix(1, 0)}).size(), 0);
}

// A mass whose velocity is not seen, and that was pushed at every step.
DynamicsModel model_with_history() {
  RandomStream randomness(8, "history");
  Trajectory seen{Matrix(1, 41), Matrix(1, 40)};
  double position = 0, velocity = 0;
  for (Index t = 0; t <= 40; ++t) {
    seen.observations(0, t) = position;
    if (t == 40) break;
    seen.actions(0, t) = randomness.uniform(-1, 1);
    position += velocity + 0.05 * seen.actions(0, t);
    velocity += 0.1 * seen.actions(0, t) - 0.1 * position;
  }
  const Transitions data = transitions_of(seen, Box::unbounded(1), 2);
  BayesianLinearModel model(draw_features(20, 4, RandomStream(8, "features")),
                            {Vector::Constant(4, 2), 1e-4, Vector::Constant(1, 1e-2)},
                            standardization_of(data.outputs));
  model.learn(data);
  return {model, {.observed = 1, .acted = 1, .history = 2, .action_at_rest = Vector::Zero(1)}};
}

TEST(ForecastFrom, SeesThePastWhereThereIsOne) {
  const DynamicsModel model = model_with_history();
  const Matrix actions = some_actions(4);
  Trajectory before{Matrix(1, 3), Matrix(1, 2)};
  before.observations << 7, 0.1, 0.25;
  before.actions << -3, 0.4;
  const Forecast moving = forecast_from(model, before, actions);
  // Another past leads elsewhere; what is older than the history does not matter.
  Trajectory other = before;
  other.observations(0, 0) = -7;
  other.actions(0, 0) = 3;
  EXPECT_EQ(forecast_from(model, other, actions).mean, moving.mean);
  other.observations(0, 1) = 0.2;
  EXPECT_GT((forecast_from(model, other, actions).mean - moving.mean).norm(), 0.05);
  EXPECT_EQ(moving.mean(0, 0), 0.25);
  EXPECT_EQ(moving.deviation(0, 0), 0);

  // At rest, it is the one from its first observation.
  const Trajectory still{Matrix::Constant(1, 2, 0.25), Matrix::Zero(1, 1)};
  const Forecast at_rest = forecast_from(model, Vector::Constant(1, 0.25), actions);
  EXPECT_EQ(forecast_from(model, still, actions).mean, at_rest.mean);
  EXPECT_EQ(forecast_from(model, still, actions).deviation, at_rest.deviation);
  EXPECT_NE(moving.mean, at_rest.mean);
}

TEST(ForecastsFrom, AreThoseOfEachStartButForTheNoise) {
  DynamicsModel model = separate_model(0.01, {{0, 1}});
  model.noise = NoiseSplit{Vector::Constant(3, 0.01), Vector::Constant(3, 0.001)};
  std::vector<ForecastStart> starts;
  for (int i = 0; i < 40; ++i) {
    const double angle = 0.1 * i;
    const Vector first = Eigen::Vector3d(std::cos(angle), std::sin(angle), 0.2 * i - 4);
    starts.push_back({{first, Matrix(1, 0)}, some_actions(6)});
  }
  const std::vector<Forecast> all = forecasts_from(model, starts, 1);
  ASSERT_EQ(all.size(), 40u);
  double ratio = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const Forecast alone = forecast_from(model, starts[i].before, starts[i].actions);
    EXPECT_LT((all[i].mean - alone.mean).cwiseAbs().maxCoeff(),
              alone.deviation.maxCoeff() * kSpread)
        << i;
    ratio += all[i].deviation.rightCols(6).sum() / alone.deviation.rightCols(6).sum() / 40;
  }
  EXPECT_NEAR(ratio, 1, kSpreadOfAverage);
  EXPECT_TRUE(forecasts_from(model, {}, 2).empty());
}

}  // namespace
}  // namespace rhc
