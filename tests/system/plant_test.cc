#include "rhc/system/plant.h"

#include <gtest/gtest.h>

#include "rhc/system/mountain_car.h"
#include "rhc/system/pendulum.h"

namespace rhc {
namespace {

const Vector kPush = Vector::Constant(1, 0.3);

TEST(SimulatedPlant, WithoutNoiseIsTheSystem) {
  const System system = Pendulum{};
  SimulatedPlant plant(system, {}, RandomStream(1, "plant"));
  Vector state = system.spec().start;
  EXPECT_EQ(plant.reset(state), system.observe(state));
  for (int i = 0; i < 5; ++i) {
    state = system.step(state, kPush);
    EXPECT_EQ(plant.step(kPush), system.observe(state));
  }
}

TEST(SimulatedPlant, ObservationNoiseHasItsDeviationAndLeavesTheStateAlone) {
  const System system = Pendulum{};
  const Vector deviation = Eigen::Vector3d(0.1, 0, 2);
  SimulatedPlant plant(system, {.observation = deviation, .process = {}}, RandomStream(2, "plant"));
  const Vector clean = system.observe(system.spec().start);
  Vector square = Vector::Zero(3);
  for (int i = 0; i < 4000; ++i) square += (plant.reset(system.spec().start) - clean).cwiseAbs2();
  const Vector got = (square / 4000).cwiseSqrt();
  EXPECT_NEAR(got[0], 0.1, 0.005);
  EXPECT_EQ(got[1], 0);
  EXPECT_NEAR(got[2], 2, 0.1);
}

TEST(SimulatedPlant, ProcessNoiseMovesTheState) {
  const System system = MountainCar{};
  const Vector start = system.spec().start;
  const Vector clean = system.step(start, kPush);
  SimulatedPlant plant(system, {.observation = {}, .process = Eigen::Vector2d(0, 0.01)},
                       RandomStream(3, "plant"));
  double square = 0;
  for (int i = 0; i < 4000; ++i) {
    plant.reset(start);
    const Vector got = plant.step(kPush);
    EXPECT_EQ(got[0], clean[0]);
    square += (got[1] - clean[1]) * (got[1] - clean[1]);
  }
  EXPECT_NEAR(std::sqrt(square / 4000), 0.01, 0.0005);
}

}  // namespace
}  // namespace rhc
