#include "rhc/system/mujoco_system.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/core/random.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// The largest difference of a step from random states and actions.
double largest_difference(const System& one, const System& other, const Box& states) {
  RandomStream randomness(1, "states and actions");
  double largest = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vector state = randomness.uniform_in(states);
    const Vector action = randomness.uniform_in(one.spec().action_bounds);
    const Vector difference = one.step(state, action) - other.step(state, action);
    EXPECT_TRUE(difference.allFinite());
    largest = std::max(largest, difference.cwiseAbs().maxCoeff());
  }
  return largest;
}

TEST(MujocoSystem, ThePendulumMakesTheStepsOfTheClosedForm) {
  const System system = Pendulum{};
  EXPECT_LT(largest_difference(system, bundled_system("pendulum-mujoco"), system.spec().region),
            1e-9);
}

TEST(MujocoSystem, TheCartpoleMakesTheStepsOfTheClosedForm) {
  const System system = Cartpole{};
  EXPECT_LT(largest_difference(system, bundled_system("cartpole-mujoco"), system.spec().region),
            1e-9);
}

TEST(MujocoSystem, TheCartpoleMakesThemAtTheEndsOfItsRailAsWell) {
  const System system = Cartpole{};
  for (const double side : {-1.0, 1.0}) {
    Box states = system.spec().region;
    states.lower[0] = std::min(1.79 * side, 1.85 * side);
    states.upper[0] = std::max(1.79 * side, 1.85 * side);
    EXPECT_LT(largest_difference(system, bundled_system("cartpole-mujoco"), states), 1e-9);
  }
}

TEST(MujocoSystem, ThePendulumIsDescribedAsTheClosedForm) {
  const System bundled = bundled_system("pendulum-mujoco");
  const SystemSpec a = bundled.spec(), b = Pendulum{}.spec();
  EXPECT_TRUE(a.simulated);
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.region.lower, b.region.lower);
  EXPECT_EQ(a.region.upper, b.region.upper);
  EXPECT_EQ(a.action_bounds.lower, b.action_bounds.lower);
  EXPECT_DOUBLE_EQ(a.time_step, b.time_step);
  EXPECT_EQ(a.horizon, b.horizon);
  EXPECT_EQ(a.task.target, b.task.target);
  EXPECT_EQ(a.task.weight, b.task.weight);
  EXPECT_EQ(bundled.observe(a.start), Pendulum{}.observe(b.start));
}

// States in which the solver has work to do, so that it would begin from what it found last.
std::vector<Vector> states_at_the_rail() {
  RandomStream randomness(2, "at the rail");
  std::vector<Vector> states;
  for (int i = 0; i < 64; ++i)
    states.push_back(
        randomness.uniform_in({Eigen::Vector4d(1.79, -3, -4, -4), Eigen::Vector4d(1.9, 3, 4, 4)}));
  return states;
}

TEST(MujocoSystem, AStepDoesNotDependOnThoseBefore) {
  const Vector action = Vector::Constant(1, 0.7);
  const System used = bundled_system("cartpole-mujoco");
  for (const Vector& state : states_at_the_rail()) {
    const System fresh = bundled_system("cartpole-mujoco");
    EXPECT_EQ(used.step(state, action), fresh.step(state, action));
  }
}

TEST(MujocoSystem, TheNumberOfThreadsDoesNotChangeAStep) {
  const System system = bundled_system("cartpole-mujoco");
  const std::vector<Vector> states = states_at_the_rail();
  const auto steps = [&](int threads) {
    std::vector<Vector> next(states.size());
    parallel_for(static_cast<int>(states.size()), threads, [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      next[at] = system.step(states[at], Vector::Constant(1, -0.3));
    });
    return next;
  };
  EXPECT_EQ(steps(1), steps(8));
}

// One hinge, with whatever else is said of it.
std::string one_hinge(const std::string& joint, const std::string& more = "") {
  return "<mujoco><worldbody><body><joint name=\"hinge\" " + joint +
         "/><geom type=\"capsule\" fromto=\"0 0 0 0 0 1\" size=\"0.1\"/></body></worldbody>" +
         more + "</mujoco>";
}

std::string refused(const std::string& mjcf) {
  return message_of<InputError>([&] { parse_mjcf(mjcf, "model.xml"); });
}

TEST(MujocoModel, ABrokenSimulationIsNotANumberAndBreaksNoOther) {
  const auto model = parse_mjcf(
      one_hinge("stiffness=\"1e12\"", "<option timestep=\"0.1\" integrator=\"Euler\"/>"), "stiff");
  const Vector none;
  const Vector rest = Vector::Zero(2), before = model->step(rest, none, 1);
  EXPECT_TRUE(before.allFinite());
  EXPECT_TRUE(model->step(Eigen::Vector2d(1, 0), none, 100).array().isNaN().all());
  EXPECT_EQ(model->step(rest, none, 1), before);
  EXPECT_TRUE(model->step(Eigen::Vector2d(NAN, 0), none, 1).array().isNaN().all());
}

TEST(MujocoModel, MistakesAreToldInMujocosWords) {
  EXPECT_NE(refused("<mujoco><worldbdy/></mujoco>").find("worldbdy"), std::string::npos);
  EXPECT_NE(refused("<mujoco>").find("XML"), std::string::npos) << refused("<mujoco>");
  EXPECT_NE(refused(one_hinge("", "<actuator><motor joint=\"knee\"/></actuator>")).find("knee"),
            std::string::npos);
  EXPECT_TRUE(refused("nonsense").starts_with("model.xml: "));
}

TEST(MujocoModel, WhatHasNoPlainStateIsRefused) {
  EXPECT_NE(refused("<mujoco/>").find("has no joint"), std::string::npos);
  EXPECT_NE(refused(one_hinge("type=\"ball\"")).find("'hinge' is a ball"), std::string::npos);
  EXPECT_NE(refused(one_hinge("type=\"free\"")).find("'hinge' is free"), std::string::npos);
}

TEST(MujocoModel, WhatMujocoGivesUpIsAnError) {
  const auto parse = [] { parse_mjcf(one_hinge("", "<size memory=\"1\"/>"), "small"); };
  const auto step = [] {
    const auto model = parse_mjcf(one_hinge("", "<size memory=\"64\"/>"), "small");
    model->step(model->rest, {}, 1);
  };
  EXPECT_TRUE(message_of<InputError>(parse) != "" || message_of<InputError>(step) != "");
}

TEST(MujocoModel, ItsTextStandsAlone) {
  const TemporaryDirectory dir;
  dir.write("part.xml",
            "<mujoco><worldbody><body><joint name=\"included\"/><geom size=\"0.1\"/></body>"
            "</worldbody></mujoco>");
  const std::string file = dir.write("model.xml", "<mujoco><include file=\"part.xml\"/></mujoco>");
  const auto model = read_mjcf(file);
  EXPECT_EQ(model->joints.at(0).name, "included");
  EXPECT_EQ(parse_mjcf(model->mjcf, "kept")->joints.at(0).name, "included");
}

TEST(MujocoModel, MeshesInOtherFilesAreRefused) {
  const TemporaryDirectory dir;
  dir.write("mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string file = dir.write(
      "model.xml",
      "<mujoco><asset><mesh name=\"m\" file=\"mesh.obj\"/></asset><worldbody><body><joint/>"
      "<geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>");
  const std::string told = message_of<InputError>([&] { read_mjcf(file); });
  EXPECT_NE(told.find("a run must stand alone"), std::string::npos) << told;
}

TEST(MujocoSystem, SensorsSeeTheHandOfTheArm) {
  const System arm = bundled_system("arm");
  const Vector seen = arm.observe(Eigen::Vector4d(0.4, 1.1, 2, -1));
  const auto names = names_of(arm.spec().observation);
  const auto at = [&](const std::string& name) {
    return seen[std::find(names.begin(), names.end(), name) - names.begin()];
  };
  EXPECT_NEAR(at("hand_x"), 0.5 * std::cos(0.4) + 0.4 * std::cos(1.5), 1e-12);
  EXPECT_NEAR(at("hand_y"), 0.5 * std::sin(0.4) + 0.4 * std::sin(1.5), 1e-12);
}

TEST(MujocoSystem, IsDrawnWhereItIs) {
  const System arm = bundled_system("arm");
  const Vector pose = arm.pose(arm.observe(Eigen::Vector4d(0.4, 1.1, 0, 0)));
  ASSERT_EQ(arm.shapes().size(), 2u);
  ASSERT_EQ(pose.size(), 8);
  const Eigen::Vector2d elbow(0.5 * std::cos(0.4), 0.5 * std::sin(0.4));
  EXPECT_NEAR((pose.segment(0, 2)).norm(), 0, 1e-12);
  EXPECT_NEAR((pose.segment(2, 2) - elbow).norm(), 0, 1e-12);
  EXPECT_NEAR((pose.segment(4, 2) - elbow).norm(), 0, 1e-12);
  EXPECT_NEAR(pose[6], elbow[0] + 0.4 * std::cos(1.5), 1e-12);
  EXPECT_NEAR(pose[7], elbow[1] + 0.4 * std::sin(1.5), 1e-12);
}

TEST(MujocoSystem, WhatMovesInAVerticalPlaneIsDrawnThere) {
  const System pendulum = bundled_system("pendulum-mujoco");
  const Vector pose = pendulum.pose(pendulum.observe(Eigen::Vector2d(0.3, 0)));
  EXPECT_NEAR(pose[4], 0.5 * std::sin(0.3), 1e-12);  // the bob
  EXPECT_NEAR(pose[5], 0.5 * std::cos(0.3), 1e-12);
  EXPECT_TRUE(System(Pendulum{}).shapes().empty());
}

}  // namespace
}  // namespace rhc
