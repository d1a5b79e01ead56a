#include "rhc/plan/layout.h"

#include <gtest/gtest.h>

#include "rhc/core/random.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/task.h"

namespace rhc {
namespace {

constexpr Index D = 3, K = 2, M = 12, T = 6;

Matrix normals(RandomStream& randomness, Index rows, Index cols) {
  Matrix m(rows, cols);
  for (double& x : m.reshaped()) x = randomness.normal();
  return m;
}

Belief some_belief(Index history, RandomStream& randomness) {
  return {.Q = normals(randomness, M, history * (D + K)),
          .phase = normals(randomness, M, 1),
          .W = 0.1 * normals(randomness, M, D),
          .offset = 0.1 * normals(randomness, D, 1),
          .inverse_factor = Matrix::Identity(M, M),
          .angles = {{0, 1}}};
}

// By the formula, with nothing but the observations and actions.
Matrix observations_of(const Belief& belief, const Vector& start, const Vector& before,
                       const Matrix& actions, Index history) {
  Matrix seen(D, actions.cols() + 1);
  seen.col(0) = start;
  for (Index t = 0; t < actions.cols(); ++t) {
    Vector z(history * (D + K));
    for (Index b = 0; b < history; ++b) z.segment(b * D, D) = seen.col(std::max<Index>(0, t - b));
    for (Index b = 1; b < history; ++b)
      z.segment(history * D + (b - 1) * K, K) = t < b ? before : Vector(actions.col(t - b));
    z.tail(K) = actions.col(t);
    Vector next = seen.col(t) + belief.offset +
                  belief.W.transpose() * (belief.Q * z + belief.phase).array().sin().matrix();
    next.head(2).normalize();
    seen.col(t + 1) = next;
  }
  return seen;
}

class LayoutTest : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  Layout layout{.observed = D,
                .acted = K,
                .history = std::get<0>(GetParam()),
                .changes = std::get<1>(GetParam())};
};

TEST_P(LayoutTest, MovesAsTheBeliefDoes) {
  RandomStream randomness(3, "layout");
  const Belief belief = some_belief(layout.history, randomness);
  Vector start = normals(randomness, D, 1);
  start.head(2).normalize();
  const Vector before = normals(randomness, K, 1);
  const Matrix actions = normals(randomness, K, T);
  const Belief lifted = layout.lift(belief);
  const MeanDynamics dynamics(lifted, T);
  Rollout rollout(layout.states(), K, M, T);
  rollout.states.col(0) = layout.first_state(start, before);
  rollout.actions = actions;
  if (layout.changes) {
    rollout.actions.col(0) -= before;
    rollout.actions.rightCols(T - 1) -= actions.leftCols(T - 1);
  }
  follow(dynamics, rollout);
  EXPECT_LT(
      (rollout.states.topRows(D) - observations_of(belief, start, before, actions, layout.history))
          .cwiseAbs()
          .maxCoeff(),
      1e-12);
  EXPECT_LT((layout.actions(rollout.states, rollout.actions) - actions).cwiseAbs().maxCoeff(),
            1e-12);
}

TEST_P(LayoutTest, HasTheDerivativesOfFiniteDifferences) {
  RandomStream randomness(5, "layout");
  const Belief lifted = layout.lift(some_belief(layout.history, randomness));
  const MeanDynamics dynamics(lifted, 1);
  const Index nx = layout.states(), n = nx + K;
  Rollout rollout(nx, K, M, 1);
  const Vector z = normals(randomness, n, 1);
  const auto step = [&](const Vector& at) -> Vector {
    rollout.states.col(0) = at.head(nx);
    rollout.actions.col(0) = at.tail(K);
    dynamics.step(rollout, 0);
    return rollout.next.col(0);
  };
  Matrix expected(nx, n);
  for (Index k = 0; k < n; ++k) {
    const Vector by = 1e-6 * Vector::Unit(n, k);
    expected.col(k) = (step(z + by) - step(z - by)) / 2e-6;
  }
  step(z);
  Matrix F(nx, n);
  dynamics.linearize(rollout, F);
  EXPECT_LT((F - expected).cwiseAbs().maxCoeff(), 1e-8);
}

TEST_P(LayoutTest, CostsWhatTheTaskCosts) {
  RandomStream randomness(7, "layout");
  const TaskCost cost{.target = normals(randomness, D, 1),
                      .weight = normals(randomness, D, 1).cwiseAbs(),
                      .action_weight = normals(randomness, K, 1).cwiseAbs(),
                      .final_weight = normals(randomness, D, 1).cwiseAbs()};
  const Index nx = layout.states(), n = nx + K;
  Rollout rollout(nx, K, M, T);
  rollout.states = normals(randomness, nx, T + 1);
  rollout.actions = normals(randomness, K, T);
  Task task(cost, layout);
  const double value = task.evaluate(rollout);
  const Trajectory same{rollout.states.topRows(D), layout.actions(rollout.states, rollout.actions)};
  EXPECT_NEAR(value, cost.total(same), 1e-12 * value);

  // Quadratic: its derivatives tell it all.
  lq::Problem stages(nx, K, T);
  for (Matrix* m : {&stages.H, &stages.g, &stages.P}) m->setZero();
  stages.p.setZero();
  Matrix none = Matrix::Zero(M, T);
  Expansion expansion{stages, none};
  task.expand(rollout, expansion);
  Rollout moved = rollout;
  moved.states += 0.1 * normals(randomness, nx, T + 1);
  moved.actions += 0.1 * normals(randomness, K, T);
  double predicted = value;
  for (Index t = 0; t < T; ++t) {
    Vector by(n);
    by << moved.states.col(t) - rollout.states.col(t),
        moved.actions.col(t) - rollout.actions.col(t);
    predicted += stages.g.col(t).dot(by) + 0.5 * by.dot(stages.H_(t) * by);
  }
  const Vector by = moved.states.col(T) - rollout.states.col(T);
  predicted += stages.p.dot(by) + 0.5 * by.dot(stages.P * by);
  EXPECT_NEAR(task.evaluate(moved), predicted, 1e-11 * predicted);
}

INSTANTIATE_TEST_SUITE_P(All, LayoutTest,
                         testing::Combine(testing::Values(1, 2, 3), testing::Values(false, true)));

}  // namespace
}  // namespace rhc
