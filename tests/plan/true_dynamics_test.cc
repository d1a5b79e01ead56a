#include "rhc/plan/true_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/system/pendulum.h"
#include "tests/every_system.h"
#include "tests/plan/jacobians.h"
#include "tests/plan/random_model.h"

namespace rhc {
namespace {

constexpr Index kTrueHorizon = 8;

// States all over the region of interest, actions all over their bounds.
Rollout random_region(const System& system, std::uint64_t seed) {
  RandomStream r(seed, "region");
  const SystemSpec& spec = system.spec();
  Rollout rollout(spec.start.size(), spec.action_bounds.size(), 0, kTrueHorizon);
  for (Index t = 0; t <= kTrueHorizon; ++t) rollout.states.col(t) = r.uniform_in(spec.region);
  for (Index t = 0; t < kTrueHorizon; ++t)
    rollout.actions.col(t) = r.uniform_in(spec.action_bounds);
  step_everywhere(TrueDynamics(system), rollout);
  return rollout;
}

// Differentiated by hand, substep by substep.
Matrix pendulum_jacobian(double theta, double thetadot, double torque) {
  const double inertia = 0.25 + 0.4 * 0.05 * 0.05, h = 0.02, damping = 0.1;
  const double mobility = h / (inertia + h * damping);
  Matrix J = Matrix::Zero(2, 3);
  J(0, 0) = J(1, 1) = 1;
  for (int i = 0; i < 4; ++i) {
    Matrix step = Matrix::Zero(2, 3);
    step(1, 0) = mobility * 9.81 * 0.5 * std::cos(theta);
    step(1, 1) = 1 - mobility * damping;
    step(1, 2) = mobility;
    step.row(0) = h * step.row(1);
    step(0, 0) += 1;
    thetadot += mobility * (9.81 * 0.5 * std::sin(theta) + torque - damping * thetadot);
    theta += h * thetadot;
    J = (step.leftCols(2) * J).eval();
    J.col(2) += step.col(2);
  }
  return J;
}

TEST(TrueDynamics, LinearizeIsThatOfThePendulumByHand) {
  const System system = Pendulum{};
  const TrueDynamics dynamics(system);
  for (int seed = 1; seed <= 20; ++seed) {
    const Rollout rollout = random_region(system, static_cast<std::uint64_t>(seed));
    const Matrix F = jacobians(dynamics, rollout);
    for (Index t = 0; t < kTrueHorizon; ++t) {
      const Matrix expected =
          pendulum_jacobian(rollout.states(0, t), rollout.states(1, t), rollout.actions(0, t));
      EXPECT_LT((F.middleCols(3 * t, 3) - expected).cwiseAbs().maxCoeff(), 1e-8) << "seed " << seed;
    }
  }
}

TEST(TrueDynamics, AtABoundTheDerivativeIsTakenFromInside) {
  const System system = Pendulum{};
  const TrueDynamics dynamics(system);
  Rollout rollout = random_region(system, 1);
  for (const double bound : {-1.0, 1.0}) {
    rollout.actions.setConstant(bound);
    const Matrix F = jacobians(dynamics, rollout);
    for (Index t = 0; t < kTrueHorizon; ++t) {
      const Matrix expected = pendulum_jacobian(rollout.states(0, t), rollout.states(1, t), bound);
      EXPECT_LT((F.col(3 * t + 2) - expected.col(2)).cwiseAbs().maxCoeff(), 1e-7) << bound;
    }
  }
}

class EverySystem : public testing::TestWithParam<std::string> {};

TEST_P(EverySystem, FollowsTheSystem) {
  const System system = make_system(GetParam());
  const TrueDynamics dynamics(system);
  Rollout rollout = random_region(system, 2);
  follow(dynamics, rollout);
  Vector state = rollout.states.col(0);
  for (Index t = 0; t < kTrueHorizon; ++t) {
    state = system.step(state, rollout.actions.col(t));
    EXPECT_EQ(rollout.states.col(t + 1), state);
  }
}

TEST_P(EverySystem, TaskIsTheCostOfWhatIsObserved) {
  const System system = make_system(GetParam());
  const Rollout rollout = random_region(system, 3);
  Trajectory observed{Matrix(system.spec().outputs(), kTrueHorizon + 1), rollout.actions};
  for (Index t = 0; t <= kTrueHorizon; ++t)
    observed.observations.col(t) = system.observe(rollout.states.col(t));
  const double expected = system.spec().task.total(observed);
  EXPECT_NEAR(TrueTask(system).evaluate(rollout), expected, 1e-12 * expected);
}

TEST_P(EverySystem, SlopeOfTheTaskIsThatOfFiniteDifferences) {
  const System system = make_system(GetParam());
  const TrueDynamics dynamics(system);
  TrueTask task(system);
  for (int seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Rollout rollout = random_region(system, static_cast<std::uint64_t>(seed));
    const lq::Problem got = expansion_of(dynamics, task, rollout);
    for (Index t = 0; t < kTrueHorizon; ++t)
      for (Index i = 0; i < got.n(); ++i)
        EXPECT_NEAR(got.g(i, t), difference(dynamics, task, rollout, i, t, 1e-4), 1e-4);
    for (Index i = 0; i < got.states(); ++i) {
      Rollout up = rollout, down = rollout;
      up.states(i, kTrueHorizon) += 1e-4;
      down.states(i, kTrueHorizon) -= 1e-4;
      EXPECT_NEAR(got.p[i], (task.evaluate(up) - task.evaluate(down)) / 2e-4, 1e-4);
    }
  }
}

// Of the task's curvature the part is kept that never bends down.
TEST_P(EverySystem, CurvatureOfTheTaskIsSymmetricAndNeverBendsDown) {
  const System system = make_system(GetParam());
  const TrueDynamics dynamics(system);
  TrueTask task(system);
  RandomStream r(1, "directions");
  const lq::Problem got = expansion_of(dynamics, task, random_region(system, 4));
  for (Index t = 0; t < kTrueHorizon; ++t) {
    EXPECT_LT((got.H_(t) - got.H_(t).transpose()).norm(), 1e-12 * got.H_(t).norm());
    for (int i = 0; i < 20; ++i) {
      const Vector direction = r.normals(got.n());
      EXPECT_GE(direction.dot(got.H_(t) * direction), 0);
    }
  }
}

RHC_FOR_EVERY_SYSTEM(EverySystem);

}  // namespace
}  // namespace rhc
