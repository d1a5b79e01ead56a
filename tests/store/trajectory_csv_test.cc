#include "rhc/store/trajectory_csv.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(TrajectoryCsv, ReadsBackBitForBit) {
  const TemporaryDirectory dir;
  RandomStream randomness(8, "trajectory");
  Trajectory t{Matrix(5, 4), Matrix(1, 3)};
  for (double& v : t.observations.reshaped()) v = randomness.normal() * 1e-7;
  for (double& v : t.actions.reshaped()) v = randomness.normal();
  const SystemSpec spec = Cartpole{}.spec();
  const std::string text = trajectory_csv(spec, t);
  EXPECT_TRUE(text.starts_with("step,x,cos,sin,xdot,thetadot,action\n0,"));
  const Trajectory back = read_trajectory(dir.write("t.csv", text), spec);
  EXPECT_EQ(back.observations, t.observations);
  EXPECT_EQ(back.actions, t.actions);
}

TEST(TrajectoryCsv, KnowsThatThePlantEndedTheEpisode) {
  const TemporaryDirectory dir;
  const SystemSpec spec = Pendulum{}.spec();
  Trajectory t{Matrix::Constant(3, 3, 1), Matrix::Constant(1, 2, 1), true};
  const std::string text = trajectory_csv(spec, t);
  EXPECT_TRUE(text.starts_with("step,cos,sin,thetadot,action,ended\n0,1,1,1,1,0\n"));
  EXPECT_TRUE(text.ends_with("\n2,1,1,1,,1\n"));
  const Trajectory back = read_trajectory(dir.write("t.csv", text), spec);
  EXPECT_TRUE(back.ended);
  EXPECT_EQ(back.actions, t.actions);
  t.ended = false;
  EXPECT_FALSE(read_trajectory(dir.write("u.csv", trajectory_csv(spec, t)), spec).ended);
}

// What was written before there was such a column may have a quantity of that name.
TEST(TrajectoryCsv, TakesNoActionForTheEnd) {
  const TemporaryDirectory dir;
  SystemSpec spec = Pendulum{}.spec();
  spec.action[0].name = "ended";
  for (const bool ended : {false, true}) {
    const Trajectory t{Matrix::Constant(3, 3, 1), Matrix::Constant(1, 2, 1), ended};
    const Trajectory back = read_trajectory(dir.write("t.csv", trajectory_csv(spec, t)), spec);
    EXPECT_EQ(back.ended, ended);
    EXPECT_EQ(back.actions, t.actions);
  }
}

TEST(ReadTrajectory, WantsOneObservationMoreThanActions) {
  const TemporaryDirectory dir;
  const std::string file =
      dir.write("t.csv", "step,cos,sin,thetadot,action\n0,1,0,0,1\n1,1,0,0,1\n");
  EXPECT_THROW(read_trajectory(file, Pendulum{}.spec()), InputError);
}

TEST(ReadForecast, WantsOneObservationMoreThanActions) {
  const TemporaryDirectory dir;
  const std::string header = "cos,sin,thetadot,cos_sd,sin_sd,thetadot_sd,action\n";
  for (const char* rows : {"", "1,0,0,1,1,1,0.5\n"}) {
    const std::string file = dir.write("f.csv", header + rows);
    EXPECT_NE(message_of<InputError>([&] {
                read_forecast(file, Pendulum{}.spec());
              }).find("a forecast has one observation more"),
              std::string::npos);
  }
}

TEST(ReadActions, TakesTheNamedColumnAndIgnoresOthers) {
  const TemporaryDirectory dir;
  const std::string file = dir.write("a.csv", "time,action\n0,0.5\n1,-0.25\n");
  EXPECT_EQ(read_actions(file, Pendulum{}.spec()), Eigen::RowVector2d(0.5, -0.25));
}

TEST(ReadActions, TakesAFileOfNothingButActions) {
  const TemporaryDirectory dir;
  const std::string file = dir.write("a.csv", "0.5\n-0.25\n");
  EXPECT_EQ(read_actions(file, Pendulum{}.spec()), Eigen::RowVector2d(0.5, -0.25));
}

TEST(ReadActions, CallsASingleActionAlsoAction) {
  const TemporaryDirectory dir;
  SystemSpec spec = Pendulum{}.spec();
  spec.action[0].name = "torque";
  EXPECT_EQ(read_actions(dir.write("a.csv", "action\n1\n"), spec)(0, 0), 1);
  EXPECT_EQ(read_actions(dir.write("b.csv", "torque\n1\n"), spec)(0, 0), 1);
  EXPECT_THROW(read_actions(dir.write("c.csv", "force\n1\n"), spec), InputError);
}

}  // namespace
}  // namespace rhc
