#include "rhc/plan/step_information.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "rhc/plan/mean_dynamics.h"
#include "tests/plan/random_model.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

TEST(StepInformation, IsThatOfTheDensePrecision) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PlanningModel belief = random_planning_model(20, 3, 1, static_cast<std::uint64_t>(seed));
    const MeanDynamics dynamics(belief, 7);
    const Rollout rollout = random_rollout(dynamics, 7, static_cast<std::uint64_t>(seed));
    const Vector weights = Vector::LinSpaced(7, 0.2, 1.7);
    const Matrix L = belief.doubts[0].inverse_factor.inverse();
    const Eigen::LLT<Matrix> precision(L * L.transpose());
    double expected = 0;
    for (Index t = 0; t < 7; ++t)
      expected += 3 * weights[t] * 0.5 *
                  std::log(1 + rollout.phi.col(t).dot(precision.solve(rollout.phi.col(t))));
    EXPECT_NEAR(-StepInformation(belief, weights).evaluate(rollout), expected, 1e-10 * expected);
  }
}

TEST(StepInformation, IsWhatEachStepAloneTellsTheModel) {
  const BayesianLinearModel model = random_model(30, 2, 1, 3);
  const PlanningModel belief = planned(model);
  const MeanDynamics dynamics(belief, 6);
  const Rollout rollout = random_rollout(dynamics, 6, 3);
  double expected = 0;
  for (Index t = 0; t < 6; ++t) {
    BayesianLinearModel after = model;
    Matrix z(3, 1);
    z << rollout.states.col(t), rollout.actions.col(t);
    after.learn({z, Matrix::Zero(2, 1)});
    expected += model.parameter_entropy() - after.parameter_entropy();
  }
  EXPECT_NEAR(-StepInformation(belief, Vector::Ones(6)).evaluate(rollout), expected,
              1e-10 * expected);
}

TEST(StepInformation, SlopeIsThatOfFiniteDifferences) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PlanningModel belief =
        random_planning_model(20, 3, 2, static_cast<std::uint64_t>(seed), {{0, 1}});
    const MeanDynamics dynamics(belief, 4);
    const Rollout rollout = random_rollout(dynamics, 4, static_cast<std::uint64_t>(seed));
    StepInformation objective(belief, Vector::LinSpaced(4, 0.2, 1.7));
    const lq::Problem got = expansion_of(dynamics, objective, rollout);
    for (Index t = 0; t < 4; ++t)
      for (Index i = 0; i < 5; ++i)
        EXPECT_NEAR(got.g(i, t), difference(dynamics, objective, rollout, i, t),
                    1e-7 * (1 + got.g.norm()))
            << "input " << i << " of step " << t;
  }
}

TEST(StepInformation, CountsOnlyTheStepsThatHaveWeight) {
  const PlanningModel belief = random_planning_model(20, 2, 1, 4);
  const MeanDynamics dynamics(belief, 5);
  const Rollout rollout = random_rollout(dynamics, 5, 4);
  Vector last = Vector::Zero(5);
  last[4] = 1;
  StepInformation objective(belief, last);
  const double nats =
      std::log1p((belief.doubts[0].inverse_factor * rollout.phi.col(4)).squaredNorm());
  EXPECT_NEAR(objective.evaluate(rollout), -nats, 1e-12 * nats) << "two outputs, half a log each";
  EXPECT_EQ(expansion_of(dynamics, objective, rollout).g.leftCols(4).norm(), 0);
}

TEST(StepInformation, KeepsItsDigitsWhereTheBeliefIsSharp) {
  PlanningModel belief = random_planning_model(20, 2, 1, 5);
  const MeanDynamics dynamics(belief, 3);
  const Rollout rollout = random_rollout(dynamics, 3, 5);
  belief.doubts[0].inverse_factor *= 1e-12;
  const double variance = (belief.doubts[0].inverse_factor * rollout.phi).squaredNorm();
  EXPECT_NEAR(-StepInformation(belief, Vector::Ones(3)).evaluate(rollout), variance,
              1e-12 * variance);
}

TEST(StepInformation, IsAGain) {
  const PlanningModel belief = random_planning_model(5, 1, 1, 1);
  EXPECT_EQ(StepInformation(belief, Vector::Ones(2)).sign(), -1);
}

}  // namespace
}  // namespace rhc
