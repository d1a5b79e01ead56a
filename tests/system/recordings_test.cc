// The closed forms against recordings of the simulators the paper used (dm_control with MuJoCo, and
// gymnasium) and of RealAIGym's (LICENSE-realaigym): single steps and whole trajectories.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "rhc/format/csv_table.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/double_pendulum.h"
#include "rhc/system/mountain_car.h"
#include "rhc/system/pendulum.h"
#include "rhc/system/system.h"

namespace rhc {
namespace {

struct Recording {
  const char* file;
  System system;
  std::vector<std::string> state, next_state, next_observation;
  // The double pendulum is chaotic, and its accelerations reach 300 rad/s^2.
  double step = 1e-12, trajectory = 1e-10;
};

std::vector<Recording> recordings() {
  const std::vector<std::string> angle = {"theta", "thetadot"},
                                 next_angle = {"next_theta", "next_thetadot"};
  const std::vector<std::string> seen = {"next_cos", "next_sin", "next_thdot"};
  const std::vector<std::string> links = {"shoulder", "elbow", "shoulderdot", "elbowdot", "torque"};
  const std::vector<std::string> next_links = {"next_shoulder", "next_elbow", "next_shoulderdot",
                                               "next_elbowdot", "next_torque"};
  const std::vector<std::string> seen_links = {
      "next_cos_shoulder",     "next_sin_shoulder",  "next_cos_elbow",  "next_sin_elbow",
      "next_shoulderdot_seen", "next_elbowdot_seen", "next_torque_seen"};
  return {{"pendulum_80ms.csv", Pendulum{}, angle, next_angle, seen},
          {"pendulum_40ms.csv", Pendulum{.substeps = 2}, angle, next_angle, seen},
          {"cartpole_20ms.csv",
           Cartpole{},
           {"q_x", "q_th", "v_x", "v_th"},
           {"next_q_x", "next_q_th", "next_v_x", "next_v_th"},
           {"next_x", "next_cos", "next_sin", "next_xdot", "next_thdot"}},
          {"mountaincar_1step.csv",
           MountainCar{},
           {"s_pos", "s_vel"},
           {"next_s_pos", "next_s_vel"},
           {"next_pos", "next_vel"}},
          {"acrobot_realaigym_20ms.csv", DoublePendulum{.motor = Motor::elbow}, links, next_links,
           seen_links, 1e-11, 1e-8},
          {"pendubot_realaigym_20ms.csv", DoublePendulum{.motor = Motor::shoulder}, links,
           next_links, seen_links, 1e-11, 1e-8}};
}

// MuJoCo's own solver stops at about this accuracy once the cart leans on the rail's end.
bool on_rail_end(const Recording& r, const Vector& state, const Vector& next) {
  return std::string(r.file) == "cartpole_20ms.csv" &&
         (std::abs(state[0]) > 1.8 || std::abs(next[0]) > 1.8);
}

class Recordings : public testing::TestWithParam<std::size_t> {};

TEST_P(Recordings, EveryStepAgrees) {
  const Recording r = recordings()[GetParam()];
  const CsvTable table(std::filesystem::path(RHC_TEST_DATA) / r.file);
  const Matrix state = table.numbers(r.state).transpose(),
               next = table.numbers(r.next_state).transpose();
  const Matrix action = table.numbers({"action"}).transpose();
  const Matrix observation = table.numbers(r.next_observation).transpose();
  ASSERT_GE(state.cols(), 800);
  for (Index i = 0; i < state.cols(); ++i) {
    const Vector got = r.system.step(state.col(i), action.col(i));
    const double tolerance = on_rail_end(r, state.col(i), next.col(i)) ? 1e-5 : r.step;
    EXPECT_LE((got - next.col(i)).cwiseAbs().maxCoeff(), tolerance) << r.file << " row " << i;
    EXPECT_LE((r.system.observe(got) - observation.col(i)).cwiseAbs().maxCoeff(), tolerance)
        << r.file << " row " << i;
  }
}

// Errors of single steps add up along a trajectory; off the rail's end they stay at rounding level.
TEST_P(Recordings, WholeTrajectoriesAgree) {
  const Recording r = recordings()[GetParam()];
  const CsvTable table(std::filesystem::path(RHC_TEST_DATA) / r.file);
  const Matrix number = table.numbers({"traj", "step"});
  const Matrix state = table.numbers(r.state).transpose(),
               next = table.numbers(r.next_state).transpose();
  const Matrix action = table.numbers({"action"}).transpose();
  Vector got;
  bool leaned = false;
  int trajectories = 0;
  for (Index i = 0; i < state.cols(); ++i) {
    if (number(i, 1) == 0) {
      got = state.col(i);
      leaned = false;
      ++trajectories;
    }
    got = r.system.step(got, action.col(i));
    leaned = leaned || on_rail_end(r, state.col(i), next.col(i));
    EXPECT_LE((got - next.col(i)).cwiseAbs().maxCoeff(), leaned ? 1e-3 : r.trajectory)
        << r.file << " trajectory " << number(i, 0) << " step " << number(i, 1);
  }
  EXPECT_EQ(trajectories, 8);
}

INSTANTIATE_TEST_SUITE_P(All, Recordings, testing::Range<std::size_t>(0, 6), [](const auto& test) {
  const std::string file = recordings()[test.param].file;
  return file.substr(0, file.find('.'));
});

}  // namespace
}  // namespace rhc
