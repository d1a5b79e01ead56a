#include "rhc/plan/feedback.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "rhc/core/random.h"
#include "rhc/plan/task.h"

namespace rhc {
namespace {

// x' = A x + B u
class LinearPair final : public Dynamics {
 public:
  Matrix A = Matrix(2, 2), B = Matrix(2, 1);

  Index states() const override { return 2; }
  Index actions() const override { return 1; }
  void step(Rollout& rollout, Index t) const override {
    rollout.next.col(t) = A * rollout.states.col(t) + B * rollout.actions.col(t);
  }
  void linearize(const Rollout& rollout, Matrix& F) const override {
    for (Index t = 0; t < rollout.horizon(); ++t) F.middleCols(3 * t, 3) << A, B;
  }
};

// From any state, the best actions of a linear system with a quadratic cost are found by least
// squares over all of them at once.
TEST(FeedbackGains, GiveTheBestActionsFromAnyState) {
  constexpr Index T = 7;
  LinearPair system;
  system.A << 1, 0.1, -0.3, 0.9;
  system.B << 0.02, 0.4;
  const TaskCost cost{.target = Vector::Zero(2),
                      .weight = Eigen::Vector2d(2, 0.5),
                      .action_weight = Vector::Constant(1, 0.1),
                      .final_weight = Eigen::Vector2d(30, 3)};
  Rollout plan(2, 1, 0, T);
  plan.states.setZero();
  plan.actions.setZero();
  follow(system, plan);
  Task task(cost);
  const Matrix K = feedback_gains(system, task, plan, Box::unbounded(plan.actions.rows())).value();

  const Vector start = Eigen::Vector2d(1, -2);
  Matrix rows = Matrix::Zero(2 * (T + 1) + T, T);
  Vector offsets = Vector::Zero(rows.rows());
  Matrix effect = Matrix::Zero(2, T);
  Vector free = start;
  for (Index t = 0; t <= T; ++t) {
    const Vector root = (t == T ? cost.final_weight : cost.weight).cwiseSqrt();
    rows.middleRows(2 * t, 2) = root.asDiagonal() * effect;
    offsets.segment(2 * t, 2) = root.cwiseProduct(free);
    if (t == T) break;
    rows(2 * (T + 1) + t, t) = std::sqrt(0.1);
    effect = system.A * effect;
    effect.col(t) += system.B;
    free = system.A * free;
  }
  const Vector best = rows.colPivHouseholderQr().solve(-offsets);

  Vector state = start;
  for (Index t = 0; t < T; ++t) {
    const Vector action = K.middleCols(2 * t, 2) * state;
    EXPECT_NEAR(action[0], best[t], 1e-6) << t;
    state = system.A * state + system.B * action;
  }
}

// A value that grows beyond all numbers is no gain.
TEST(FeedbackGains, SayWhereThereAreNone) {
  constexpr Index T = 400;
  LinearPair system;
  system.A << 10, 0, 0, 10;
  system.B << 0, 0;
  Task task({.target = Vector::Zero(2),
             .weight = Vector::Ones(2),
             .action_weight = Vector::Ones(1),
             .final_weight = {}});
  Rollout plan(2, 1, 0, T);
  follow(system, plan);
  EXPECT_FALSE(feedback_gains(system, task, plan, Box::unbounded(plan.actions.rows())).has_value());
}

TEST(FeedbackGains, LeaveActionsAloneThatCostAndChangeNothing) {
  LinearPair system;
  system.A << 1, 0.1, 0, 1;
  system.B << 0, 0;
  Task task({.target = Vector::Zero(2),
             .weight = Vector::Ones(2),
             .action_weight = Vector::Zero(1),
             .final_weight = {}});
  Rollout plan(2, 1, 0, 5);
  follow(system, plan);
  EXPECT_EQ(feedback_gains(system, task, plan, Box::unbounded(plan.actions.rows())).value().norm(),
            0);
}

// Held at a bound, an action stays there whatever the state is; the actions before it do what it
// cannot.
TEST(FeedbackGains, LeaveActionsAtTheBoundsThatHoldThem) {
  constexpr Index T = 5;
  LinearPair system;
  system.A << 1, 0.1, 0, 1;
  system.B << 0, 0.5;
  const TaskCost cost{.target = Eigen::Vector2d(100, 0),
                      .weight = Eigen::Vector2d(1, 0),
                      .action_weight = Vector::Constant(1, 1e-3),
                      .final_weight = {}};
  const Box bounds{Vector::Constant(1, -1), Vector::Constant(1, 1)};
  Rollout plan(2, 1, 0, T);
  plan.states.setZero();
  plan.actions.setOnes();  // as hard as it can towards a target that is out of reach
  follow(system, plan);
  Task task(cost);
  const Matrix held = feedback_gains(system, task, plan, bounds).value();
  const Matrix free = feedback_gains(system, task, plan, Box::unbounded(1)).value();
  // The last two actions move nothing that counts.
  EXPECT_EQ(held.leftCols(2 * (T - 2)).norm(), 0);
  EXPECT_GT(free.leftCols(2 * (T - 2)).norm(), 1);
}

}  // namespace
}  // namespace rhc
