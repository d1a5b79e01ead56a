#include "rhc/plan/entropy.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/step_information.h"
#include "tests/plan/random_model.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

double log_det(const Matrix& A) {
  const Matrix L = Eigen::LLT<Matrix>(A).matrixL();
  return 2 * L.diagonal().array().log().sum();
}

// Fewer steps than features and more take different ways.
const std::vector<Index> kHorizons = {1, 5, 19, 20, 21, 60};

TEST(Entropy, IsThatOfTheDenseLogDeterminant) {
  for (int seed = 1; seed <= repeats(10, 300); ++seed)
    for (const Index T : kHorizons) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << T << " steps");
      const PlanningModel belief =
          random_planning_model(20, 3, 1, static_cast<std::uint64_t>(seed));
      const MeanDynamics dynamics(belief, T);
      const Rollout rollout = random_rollout(dynamics, T, static_cast<std::uint64_t>(seed));
      const Vector weights = Vector::LinSpaced(T, 0.2, 1.7);
      const Matrix L = belief.doubts[0].inverse_factor.inverse();
      const Matrix A = L * L.transpose();
      const Matrix after = A + rollout.phi * weights.asDiagonal() * rollout.phi.transpose();
      const double expected = 3 * 0.5 * (log_det(after) - log_det(A));
      EXPECT_NEAR(-Entropy(belief, weights).evaluate(rollout), expected, 1e-9 * expected);
    }
}

TEST(Entropy, IsWhatTheWholePlanTellsTheModel) {
  for (const Index T : kHorizons) {
    const BayesianLinearModel model = random_model(20, 2, 1, 3);
    const PlanningModel belief = planned(model);
    const MeanDynamics dynamics(belief, T);
    const Rollout rollout = random_rollout(dynamics, T, 3);
    BayesianLinearModel after = model;
    Matrix inputs(3, T);
    inputs << rollout.states.leftCols(T), rollout.actions;
    after.learn({inputs, Matrix::Zero(2, T)});
    const double expected = model.parameter_entropy() - after.parameter_entropy();
    EXPECT_NEAR(-Entropy(belief, Vector::Ones(T)).evaluate(rollout), expected, 1e-9 * expected)
        << T << " steps";
  }
}

// A model that knows nothing at all, and a plan that stays in one place: the looks tell what one
// precise look tells, whichever way the determinant is taken.
TEST(Entropy, OfAPlanThatStandsStillIsThatOfOnePreciseLook) {
  for (const Index T : {5, 60}) {
    PlanningModel vague = random_planning_model(20, 2, 1, 1);
    vague.doubts[0].inverse_factor = 1e9 * Matrix::Identity(20, 20);
    const MeanDynamics dynamics(vague, T);
    Rollout rollout = random_rollout(dynamics, T, 1);
    rollout.phi = rollout.phi.col(0).replicate(1, T).eval();
    const double looks = static_cast<double>(T);
    const double expected = std::log1p(looks * 1e18 * rollout.phi.col(0).squaredNorm());
    EXPECT_NEAR(-Entropy(vague, Vector::Ones(T)).evaluate(rollout), expected, 1e-3 * expected)
        << T << " steps";
  }
}

TEST(Entropy, SlopeIsThatOfFiniteDifferences) {
  for (int seed = 1; seed <= repeats(6, 200); ++seed)
    for (const Index T : {3, 8, 9, 14}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << T << " steps");
      const PlanningModel belief =
          random_planning_model(8, 3, 1, static_cast<std::uint64_t>(seed), {{0, 1}});
      const MeanDynamics dynamics(belief, T);
      const Rollout rollout = random_rollout(dynamics, T, static_cast<std::uint64_t>(seed));
      Entropy objective(belief, Vector::LinSpaced(T, 0.2, 1.7));
      const lq::Problem got = expansion_of(dynamics, objective, rollout);
      for (Index t = 0; t < T; ++t)
        for (Index i = 0; i < 4; ++i)
          EXPECT_NEAR(got.g(i, t), difference(dynamics, objective, rollout, i, t),
                      1e-7 * (1 + got.g.norm()))
              << "input " << i << " of step " << t;
    }
}

TEST(Entropy, CountsOnlyTheStepsThatHaveWeight) {
  for (const Index T : {5, 30}) {
    const PlanningModel belief = random_planning_model(20, 2, 1, 4);
    const MeanDynamics dynamics(belief, T);
    const Rollout rollout = random_rollout(dynamics, T, 4);
    Vector last = Vector::Zero(T);
    last[T - 1] = 1;
    Entropy objective(belief, last);
    const double nats =
        std::log1p((belief.doubts[0].inverse_factor * rollout.phi.col(T - 1)).squaredNorm());
    EXPECT_NEAR(objective.evaluate(rollout), -nats, 1e-11 * nats) << "two outputs, half a log each";
    EXPECT_EQ(expansion_of(dynamics, objective, rollout).g.leftCols(T - 1).norm(), 0);
  }
}

TEST(Entropy, IsNoMoreThanWhatTheStepsTellOneByOne) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    const PlanningModel belief = random_planning_model(20, 2, 1, static_cast<std::uint64_t>(seed));
    const MeanDynamics dynamics(belief, 15);
    const Rollout rollout = random_rollout(dynamics, 15, static_cast<std::uint64_t>(seed));
    const Vector weights = Vector::Ones(15);
    EXPECT_LT(-Entropy(belief, weights).evaluate(rollout),
              -StepInformation(belief, weights).evaluate(rollout))
        << "seed " << seed;
  }
}

TEST(Entropy, IsNotFiniteWhereAFeatureIsNot) {
  const PlanningModel belief = random_planning_model(20, 2, 1, 5);
  const MeanDynamics dynamics(belief, 3);
  Rollout rollout = random_rollout(dynamics, 3, 5);
  rollout.phi(0, 0) = std::nan("");
  EXPECT_FALSE(std::isfinite(Entropy(belief, Vector::Ones(3)).evaluate(rollout)));
}

// Beyond what can be told apart from certain: a cost that no plan chooses.
TEST(Entropy, IsFiniteOrAnInfiniteCostWhereThePlanIsNumericallySingular) {
  PlanningModel belief = random_planning_model(60, 2, 1, 5);
  belief.doubts[0].inverse_factor *= 1e12;
  const MeanDynamics dynamics(belief, 40);
  const Rollout rollout = random_rollout(dynamics, 40, 5);
  const double cost = Entropy(belief, Vector::Ones(40)).evaluate(rollout);
  EXPECT_TRUE(cost == kInfinity || std::isfinite(cost)) << cost;
}

TEST(Entropy, IsAGain) {
  const PlanningModel belief = random_planning_model(5, 1, 1, 1);
  EXPECT_EQ(Entropy(belief, Vector::Ones(2)).sign(), -1);
}

}  // namespace
}  // namespace rhc
