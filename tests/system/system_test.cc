#include "rhc/system/system.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/system/pendulum.h"

namespace rhc {
namespace {

// A user's type: no base class, no observe.
struct Integrator {
  int horizon = 5;

  SystemSpec spec() const {
    const Vector one = Vector::Ones(1);
    return {.name = "integrator",
            .title = "",
            .state = {{"x", ""}},
            .observation = {{"x", ""}},
            .action = {{"rate", ""}},
            .angles = {},
            .action_bounds = {-one, one},
            .limits = Box::unbounded(1),
            .time_step = 1,
            .horizon = horizon,
            .start = Vector::Zero(1),
            .region = {-one, one},
            .task = {one, one, one}};
  }
  Vector step(const Vector& state, const Vector& action) const { return state + action; }
};

TEST(System, HoldsAUsersTypeAndObservesItsState) {
  const System system = Integrator{};
  EXPECT_EQ(system.spec().name, "integrator");
  EXPECT_EQ(system.step(Vector::Constant(1, 2), Vector::Constant(1, 0.5))[0], 2.5);
  EXPECT_EQ(system.observe(Vector::Constant(1, 3))[0], 3);
}

TEST(System, ClipsActionsToTheirBounds) {
  const System system = Integrator{};
  EXPECT_EQ(system.step(Vector::Zero(1), Vector::Constant(1, 50))[0], 1);
  EXPECT_EQ(system.step(Vector::Zero(1), Vector::Constant(1, -50))[0], -1);
}

TEST(System, UsesATypesOwnObserve) {
  const System system = Pendulum{};
  EXPECT_EQ(system.observe(Eigen::Vector2d(0, 3)), Eigen::Vector3d(1, 0, 3));
}

TEST(System, RefusesAnUnsoundSpec) { EXPECT_THROW(System{Integrator{.horizon = 0}}, InputError); }

}  // namespace
}  // namespace rhc
