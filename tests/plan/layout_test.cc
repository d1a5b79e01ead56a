#include "rhc/plan/layout.h"

#include <gtest/gtest.h>

#include "rhc/core/random.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/task.h"

namespace rhc {
namespace {

constexpr Index kObserved = 3, kActed = 2, kFeatures = 12, kSteps = 6;

Matrix normals(RandomStream& randomness, Index rows, Index cols) {
  Matrix m(rows, cols);
  for (double& x : m.reshaped()) x = randomness.normal();
  return m;
}

PlanningModel some_belief(Index history, RandomStream& randomness) {
  return {.Q = normals(randomness, kFeatures, history * (kObserved + kActed)),
          .phase = normals(randomness, kFeatures, 1),
          .W = 0.1 * normals(randomness, kFeatures, kObserved),
          .offset = 0.1 * normals(randomness, kObserved, 1),
          .doubts = {{0, kFeatures, kObserved, Matrix::Identity(kFeatures, kFeatures)}},
          .angles = {{0, 1}},
          .outputs = kObserved};
}

// The same with a network's features: Q is by what its layer makes of the inputs, and by these.
PlanningModel network_belief(Index history, RandomStream& randomness) {
  constexpr Index kWidth = 6;
  PlanningModel belief = some_belief(history, randomness);
  const Index n = belief.Q.cols();
  belief.hidden = {{normals(randomness, kWidth, n), normals(randomness, kWidth, 1)}};
  belief.Q = normals(randomness, kFeatures, kWidth + n);
  return belief;
}

// By the formula, with nothing but the observations and actions.
Matrix observations_of(const PlanningModel& belief, const Vector& start, const Vector& before,
                       const Matrix& actions, Index history) {
  Matrix seen(kObserved, actions.cols() + 1);
  seen.col(0) = start;
  for (Index t = 0; t < actions.cols(); ++t) {
    Vector z(history * (kObserved + kActed));
    for (Index b = 0; b < history; ++b)
      z.segment(b * kObserved, kObserved) = seen.col(std::max<Index>(0, t - b));
    for (Index b = 1; b < history; ++b)
      z.segment(history * kObserved + (b - 1) * kActed, kActed) =
          t < b ? before : Vector(actions.col(t - b));
    z.tail(kActed) = actions.col(t);
    Vector before_sines = z;
    if (!belief.hidden.empty()) {
      before_sines.resize(belief.Q.cols());
      before_sines << through(belief.hidden, z), z;
    }
    Vector next =
        seen.col(t) + belief.offset +
        belief.W.transpose() * (belief.Q * before_sines + belief.phase).array().sin().matrix();
    next.head(2).normalize();
    seen.col(t + 1) = next;
  }
  return seen;
}

class LayoutTest : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  Layout layout{.observed = kObserved,
                .acted = kActed,
                .history = std::get<0>(GetParam()),
                .changes = std::get<1>(GetParam())};
};

TEST_P(LayoutTest, MovesAsTheBeliefDoes) {
  for (const bool network : {false, true}) {
    RandomStream randomness(3, "layout");
    const PlanningModel belief = network ? network_belief(layout.history, randomness)
                                         : some_belief(layout.history, randomness);
    Vector start = normals(randomness, kObserved, 1);
    start.head(2).normalize();
    const Vector before = normals(randomness, kActed, 1);
    const Matrix actions = normals(randomness, kActed, kSteps);
    const PlanningModel lifted = layout.lift(belief);
    const MeanDynamics dynamics(lifted, kSteps);
    Rollout rollout(layout.states(), kActed, kFeatures, kSteps);
    rollout.states.col(0) = layout.first_state(standing_at(start, kActed), before);
    rollout.actions = actions;
    if (layout.changes) {
      rollout.actions.col(0) -= before;
      rollout.actions.rightCols(kSteps - 1) -= actions.leftCols(kSteps - 1);
    }
    follow(dynamics, rollout);
    EXPECT_LT((rollout.states.topRows(kObserved) -
               observations_of(belief, start, before, actions, layout.history))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-12);
    EXPECT_LT((layout.actions(rollout.states, rollout.actions) - actions).cwiseAbs().maxCoeff(),
              1e-12);
  }
}

TEST_P(LayoutTest, HasTheDerivativesOfFiniteDifferences) {
  for (const bool network : {false, true}) {
    RandomStream randomness(5, "layout");
    const PlanningModel lifted = layout.lift(network ? network_belief(layout.history, randomness)
                                                     : some_belief(layout.history, randomness));
    const MeanDynamics dynamics(lifted, 1);
    const Index nx = layout.states(), n = nx + kActed;
    Rollout rollout(nx, kActed, kFeatures, 1);
    const Vector z = normals(randomness, n, 1);
    const auto step = [&](const Vector& at) -> Vector {
      rollout.states.col(0) = at.head(nx);
      rollout.actions.col(0) = at.tail(kActed);
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
}

TEST_P(LayoutTest, CostsWhatTheTaskCosts) {
  RandomStream randomness(7, "layout");
  const TaskCost cost{.target = normals(randomness, kObserved, 1),
                      .weight = normals(randomness, kObserved, 1).cwiseAbs(),
                      .action_weight = normals(randomness, kActed, 1).cwiseAbs(),
                      .final_weight = normals(randomness, kObserved, 1).cwiseAbs()};
  const Index nx = layout.states(), n = nx + kActed;
  Rollout rollout(nx, kActed, kFeatures, kSteps);
  rollout.states = normals(randomness, nx, kSteps + 1);
  rollout.actions = normals(randomness, kActed, kSteps);
  Task task(cost, layout);
  const double value = task.evaluate(rollout);
  const Trajectory same{rollout.states.topRows(kObserved),
                        layout.actions(rollout.states, rollout.actions)};
  EXPECT_NEAR(value, cost.total(same), 1e-12 * value);

  // Quadratic: its derivatives tell it all.
  lq::Problem stages(nx, kActed, kSteps);
  for (Matrix* m : {&stages.H, &stages.g, &stages.P}) m->setZero();
  stages.p.setZero();
  Matrix none = Matrix::Zero(kFeatures, kSteps);
  Expansion expansion{stages, none};
  task.expand(rollout, expansion);
  Rollout moved = rollout;
  moved.states += 0.1 * normals(randomness, nx, kSteps + 1);
  moved.actions += 0.1 * normals(randomness, kActed, kSteps);
  double predicted = value;
  for (Index t = 0; t < kSteps; ++t) {
    Vector by(n);
    by << moved.states.col(t) - rollout.states.col(t),
        moved.actions.col(t) - rollout.actions.col(t);
    predicted += stages.g.col(t).dot(by) + 0.5 * by.dot(stages.H_(t) * by);
  }
  const Vector by = moved.states.col(kSteps) - rollout.states.col(kSteps);
  predicted += stages.p.dot(by) + 0.5 * by.dot(stages.P * by);
  EXPECT_NEAR(task.evaluate(moved), predicted, 1e-11 * predicted);
}

INSTANTIATE_TEST_SUITE_P(All, LayoutTest,
                         testing::Combine(testing::Values(1, 2, 3), testing::Values(false, true)));

TEST(Layout, BeginsAfterWhatWasSeenAndDone) {
  const Layout layout{.observed = 2, .acted = 1, .history = 3};
  Trajectory before{Matrix(2, 2), Matrix(1, 1)};
  before.observations << 1, 2, 3, 4;
  before.actions << 5;
  Vector expected(8);
  // Now, a step ago, and before that as it was first; the last action, and that of rest.
  expected << 2, 4, 1, 3, 1, 3, 5, 9;
  EXPECT_EQ(layout.first_state(before, Vector::Constant(1, 9)), expected);
}

}  // namespace
}  // namespace rhc
