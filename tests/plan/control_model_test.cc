#include "rhc/plan/control_model.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "rhc/system/pendulum.h"
#include "tests/plan/random_model.h"

namespace rhc {
namespace {

// A cart that is pushed, of which the position and the speed are measured.
struct Cart {
  SystemSpec spec() const {
    return {.name = "cart",
            .title = "cart",
            .state = {{"position", "m"}, {"speed", "m/s"}},
            .observation = {{"position", "m"}, {"speed", "m/s"}},
            .action = {{"force", "N"}},
            .angles = {},
            .action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)},
            .limits = Box::unbounded(2),
            .time_step = 0.1,
            .horizon = 30,
            .start = Vector::Zero(2),
            .region = {Vector::Constant(2, -1), Vector::Constant(2, 1)},
            .task = {.target = Vector::Zero(2),
                     .weight = Vector::Ones(2),
                     .action_weight = Vector::Ones(1)}};
  }
  Vector step(const Vector& x, const Vector& u) const {
    return Eigen::Vector2d(x[0] + 0.1 * x[1], 0.95 * x[1] + 0.1 * u[0]);
  }
};

// A model of changes by earlier observations and actions, too.
BayesianLinearModel looking_back(Index features, Index inputs, Index outputs, std::uint64_t seed) {
  RandomStream randomness(seed, "looking back");
  BayesianLinearModel model(draw_features(features, inputs, RandomStream(seed, "draw")),
                            {Vector::Constant(inputs, 2), 1, Vector::Constant(outputs, 0.2)},
                            {Vector::Zero(outputs), Vector::Constant(outputs, 0.1)});
  Transitions data{Matrix(inputs, 20), Matrix(outputs, 20)};
  for (double& v : data.inputs.reshaped()) v = randomness.normal();
  for (double& v : data.outputs.reshaped()) v = 0.1 * randomness.normal();
  model.learn(data);
  return model;
}

// The last state of a linear system is a least-squares problem in all states at once.
TEST(StateFilter, IsTheLeastSquaresEstimateOfALinearSystem) {
  const NoiseLevels noise{Eigen::Vector2d(0.1, 0.3), Eigen::Vector2d(0.02, 0.05)};
  const Cart cart;
  const ControlByTruth truth(cart, noise);
  constexpr Index T = 12;
  RandomStream randomness(3, "cart");
  StateEstimate where{Vector::Zero(2), Matrix::Zero(2, 2)};
  Matrix A = Matrix::Zero(4 * T, 2 * T);
  Vector b = Vector::Zero(4 * T);
  for (Index t = 0; t < T; ++t) {
    const Vector push = Vector::Constant(1, randomness.uniform(-1, 1));
    const Vector measured = randomness.normals(2);
    predict(truth, push, where);
    correct(truth, measured, where);
    // Each step and each measurement, over its deviation.
    const Vector moved = cart.step(Vector::Zero(2), push);
    for (Index i = 0; i < 2; ++i) {
      A(4 * t + i, 2 * t + i) = 1 / noise.process[i];
      if (t > 0)
        for (Index k = 0; k < 2; ++k)
          A(4 * t + i, 2 * (t - 1) + k) =
              -cart.step(Vector::Unit(2, k), Vector::Zero(1))[i] / noise.process[i];
      b[4 * t + i] = moved[i] / noise.process[i];
      A(4 * t + 2 + i, 2 * t + i) = 1 / noise.observation[i];
      b[4 * t + 2 + i] = measured[i] / noise.observation[i];
    }
    if (t < T - 1) continue;
    const Vector states = A.colPivHouseholderQr().solve(b);
    EXPECT_LT((where.mean - states.tail(2)).norm(), 1e-7);
    const Matrix covariance = (A.transpose() * A).inverse();
    EXPECT_LT((where.covariance - covariance.bottomRightCorner(2, 2)).norm(), 1e-7);
  }
}

// What was measured one and two steps ago is corrected, too, and stays a part of the state.
TEST(StateFilter, RemembersAsMuchAsTheModelLooksBackOn) {
  DynamicsShape shape{.observed = 2, .acted = 1, .history = 3, .action_at_rest = Vector::Zero(1)};
  DynamicsModel model(looking_back(20, shape.inputs(), 2, 3), shape);
  model.noise = NoiseSplit{Vector::Constant(2, 0.2), Vector::Constant(2, 0.01)};
  SystemSpec spec = Cart{}.spec();
  spec.history = 3;
  const ControlByModel by_model(model, spec, false);
  RandomStream randomness(4, "history");
  StateEstimate where = by_model.measured_to_be(standing_at(Vector::Zero(2), 1));
  ASSERT_EQ(where.mean.size(), 3 * 2 + 2 * 1);
  Vector last = where.mean.head(2);
  Vector pushed;
  for (int t = 0; t < 4; ++t) {
    pushed = randomness.normals(1);
    predict(by_model, pushed, where);
    EXPECT_EQ(where.mean.segment(2, 2), last) << "before it is corrected";
    correct(by_model, 0.3 * randomness.normals(2), where);
    last = where.mean.head(2);
  }
  EXPECT_EQ(where.mean.segment(6, 1), pushed);
  EXPECT_LT(where.covariance(0, 0), 0.2 * 0.2);
}

// An angle's estimate stays an angle.
TEST(StateFilter, StaysOnTheCircle) {
  DynamicsShape shape{
      .observed = 3, .acted = 1, .angles = {{0, 1}}, .action_at_rest = Vector::Zero(1)};
  DynamicsModel model(random_model(20, 3, 1, 5), shape);
  model.noise = NoiseSplit{Vector::Constant(3, 0.1), Vector::Constant(3, 0.01)};
  const ControlByModel by_model(model, Pendulum{}.spec(), false);
  StateEstimate where = by_model.measured_to_be(standing_at(Eigen::Vector3d(0.9, 0.1, 0), 1));
  RandomStream randomness(5, "circle");
  for (int t = 0; t < 5; ++t) {
    EXPECT_NEAR(where.mean.head(2).norm(), 1, 1e-12);
    predict(by_model, randomness.normals(1), where);
    correct(by_model, randomness.normals(3), where);
  }
}

// Without sensor noise what is measured is where the system is.
TEST(StateFilter, TrustsSensorsWithoutNoise) {
  const Cart cart;
  const ControlByTruth truth(cart, {Vector::Zero(2), Vector::Constant(2, 0.1)});
  StateEstimate where{Vector::Zero(2), Matrix::Zero(2, 2)};
  predict(truth, Vector::Ones(1), where);
  correct(truth, Eigen::Vector2d(0.4, -0.7), where);
  EXPECT_LT((where.mean - Eigen::Vector2d(0.4, -0.7)).norm(), 1e-9);
}

}  // namespace
}  // namespace rhc
