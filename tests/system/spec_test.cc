#include "rhc/system/spec.h"

#include <gtest/gtest.h>

#include <functional>

#include "rhc/core/error.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/mountain_car.h"
#include "rhc/system/pendulum.h"

namespace rhc {
namespace {

// Doing nothing from the start, all steps and the final state.
double cost_of_resting(const SystemSpec& spec, const Vector& observation) {
  const Trajectory rest{observation.replicate(1, spec.horizon + 1), Matrix::Zero(1, spec.horizon)};
  return spec.task.total(rest);
}

TEST(TaskCost, HangingStillCostsWhatThePaperShows) {
  EXPECT_DOUBLE_EQ(cost_of_resting(Pendulum{}.spec(), Eigen::Vector3d(-1, 0, 0)), 40400);
}

TEST(TaskCost, CountsActionsAtTheirWeight) {
  const SystemSpec spec = Cartpole{}.spec();
  Trajectory t{Matrix::Zero(5, 3), Matrix::Constant(1, 2, 0.5)};
  t.observations.row(1).setOnes();  // upright
  EXPECT_NEAR(spec.task.total(t), 2 * 0.1 * 0.25, 1e-15);
  t.observations(0, 2) = 0.1;  // the cart ends 10 cm off
  EXPECT_NEAR(spec.task.total(t), 2 * 0.1 * 0.25 + 100 * 0.01, 1e-15);
}

TEST(TaskCost, FollowsAReferenceAndHoldsItsLastTarget) {
  TaskCost task{Vector::Zero(1), Vector::Ones(1), Vector::Zero(1)};
  task.reference = Eigen::RowVector3d(1, 2, 3);
  Trajectory t{Matrix(1, 6), Matrix::Zero(1, 5)};
  t.observations << 1, 2, 3, 3, 3, 3;
  EXPECT_EQ(task.total(t), 0);
  t.observations.setConstant(3);
  EXPECT_EQ(task.total(t), 4 + 1);
  // Two steps later, and long after its end.
  EXPECT_EQ(task.from(2).total(t), 0);
  EXPECT_EQ(task.from(100).target_at(0)[0], 3);
}

TEST(SystemSpec, OfTheBundledSystemsIsSound) {
  EXPECT_NO_THROW(check(Pendulum{}.spec()));
  EXPECT_NO_THROW(check(Cartpole{}.spec()));
  EXPECT_NO_THROW(check(MountainCar{}.spec()));
  EXPECT_DOUBLE_EQ(Pendulum{}.spec().time_step, 0.08);
  EXPECT_DOUBLE_EQ(Cartpole{}.spec().time_step, 0.02);
}

TEST(SystemSpec, IsRefusedWhereItContradictsItself) {
  const auto message = [](const std::function<void(SystemSpec&)>& spoil) -> std::string {
    SystemSpec spec = Pendulum{}.spec();
    spoil(spec);
    try {
      check(spec);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](auto& s) { s.start = Vector::Zero(3); }),
            "system 'pendulum': start has 3 entries, expected 2");
  EXPECT_EQ(message([](auto& s) { s.action_bounds.lower[0] = 2; }),
            "system 'pendulum': action_bounds entry 0 is empty: [2, 1]");
  EXPECT_NE(message([](auto& s) { s.action_bounds.upper[0] = kInfinity; }), "");
  EXPECT_NE(message([](auto& s) { s.horizon = 0; }), "");
  EXPECT_NE(message([](auto& s) { s.time_step = -1; }), "");
  EXPECT_NE(message([](auto& s) { s.angles = {{0, 3}}; }), "");
  EXPECT_NE(message([](auto& s) { s.observation[0].name = "a,b"; }), "");
  EXPECT_NE(message([](auto& s) { s.task.weight = Vector::Zero(1); }), "");
}

}  // namespace
}  // namespace rhc
