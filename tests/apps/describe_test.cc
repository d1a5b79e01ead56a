// From a recording to a run: `rhc describe`, and what `rhc new` asks for and remarks on.
#include <gtest/gtest.h>

#include "tests/apps/terminal.h"
#include "tests/rig.h"

namespace rhc {
namespace {

class Describe : public testing::Test {
 protected:
  Describe() {
    RandomStream randomness(4, "recording");
    Matrix actions(1, 60);
    for (double& action : actions.reshaped()) action = randomness.uniform(-1, 1);
    dir_.write("log.csv", rig_log(actions));
  }

  TemporaryDirectory dir_;
};

TEST_F(Describe, LeadsFromARecordingToARunThatLearnsFromIt) {
  const Outcome drafted = run({"describe", "log.csv", "--out", "my.toml"}, dir_);
  EXPECT_EQ(drafted.code, 0) << drafted.err;
  for (const char* part :
       {"time_step = 0.08 s", "'torque' is an action: the last row has none",
        "Look at this:", "there is no [task]", "rhc tell runs/log log.csv --import"})
    EXPECT_TRUE(contains(drafted.out, part)) << part << "\n" << drafted.out;
  const Outcome begun =
      run({"new", "my.toml", "--out", "lab", "features=20", "evidence_starts=2"}, dir_);
  EXPECT_EQ(begun.code, 0) << begun.err;
  EXPECT_TRUE(contains(begun.err, "no [task] with a weight above 0")) << begun.err;
  const Outcome told = run({"tell", "lab", "log.csv", "--import"}, dir_);
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_TRUE(contains(told.out, "60 steps")) << told.out;
}

TEST_F(Describe, PrintsTheDescriptionAloneWhereNoFileIsNamed) {
  const Outcome drafted = run({"describe", "log.csv", "--name", "arm"}, dir_);
  EXPECT_EQ(drafted.code, 0) << drafted.err;
  EXPECT_EQ(parse_system(drafted.out, "out.toml", ".").system.spec().name, "arm");
}

TEST_F(Describe, ReplacesNothing) {
  dir_.write("my.toml", "# edited\n");
  const Outcome drafted = run({"describe", "log.csv", "--out", "my.toml"}, dir_);
  EXPECT_EQ(drafted.code, 2);
  EXPECT_TRUE(contains(drafted.err, "'my.toml' is there already")) << drafted.err;
  EXPECT_EQ(slurp(dir_.path() / "my.toml"), "# edited\n");
}

TEST_F(Describe, SaysWhichColumnItWants) {
  dir_.write("plain.csv", "time,a,b\n0,0,1\n1,1,3\n2,0,1\n3,1,3\n4,0,1\n5,1,2\n6,0,1\n7,1,1\n");
  const Outcome outcome = run({"describe", "plain.csv"}, dir_);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "--action NAME (numbers are in: a, b)")) << outcome.err;
}

TEST_F(Describe, NewAsksForATaskOnATerminal) {
  dir_.write("rig.toml", kRig.substr(0, kRig.find("[task]")));
  Terminal terminal({"new", "rig.toml", "--out", "lab"}, dir_, 100, 30);
  const auto answer = [&](const std::string& question, const std::string& words) {
    terminal.read_until(question);
    for (const char key : words) terminal.type(key);
  };
  answer("theta [rad]: ", "up\n");
  answer("a number, please", "0.5\n");
  answer("thetadot [rad/s]: ", "\n");
  EXPECT_EQ(terminal.wait(), 0) << terminal.bytes();
  const SystemFile kept = read_system_file(dir_.path() / "lab/system.toml");
  const TaskCost& task = kept.system.spec().task;
  EXPECT_NEAR(task.target[0], std::cos(0.5), 1e-15);
  EXPECT_EQ(task.weight, Eigen::Vector3d(1, 1, 0));
  EXPECT_EQ(task.action_weight, Vector::Constant(1, 0.01));
  EXPECT_FALSE(contains(terminal.bytes(), "no [task]")) << terminal.bytes();
}

TEST_F(Describe, NewRemarksOnWhatIsHardlyMeant) {
  dir_.write("rig.toml", with(kRig, "time_step = 0.08", "time_step = 80"));
  const Outcome begun = run({"new", "rig.toml", "--out", "lab"}, dir_);
  EXPECT_EQ(begun.code, 0) << begun.err;
  EXPECT_TRUE(contains(begun.err, "rhc: rig.toml: 'time_step' is 80 seconds")) << begun.err;
}

}  // namespace
}  // namespace rhc
