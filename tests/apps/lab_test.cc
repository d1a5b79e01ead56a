// `rhc new`, `ask`, `tell`, `forget` and `solve`, as a person types them.
#include <gtest/gtest.h>

#include "rhc/core/random.h"
#include "rhc/io/csv.h"
#include "rhc/io/files.h"
#include "rhc/io/lab_notes.h"
#include "rhc/io/run_record.h"
#include "tests/apps/program.h"
#include "tests/repeats.h"
#include "tests/rig.h"

namespace rhc {
namespace {

// A run in `lab`, with few features and short plans.
class LabCommands : public testing::Test {
 protected:
  LabCommands() {
    dir_.write("rig.toml", kRig);
    const Outcome made = run({"new", "rig.toml", "--out", "lab", "features=20", "evidence_starts=2",
                              "plan_starts=2", "task_starts=2", "task_hops=0"},
                             dir_);
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_TRUE(contains(made.out, "`rhc ask lab` plans the first experiment")) << made.out;
  }

  Matrix asked() {
    const Outcome outcome = run({"ask", "lab", "--out", "plan.csv"}, dir_);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const CsvTable table(dir_.path() / "plan.csv");
    return table.numbers({"torque [N m]"}, true).transpose();
  }

  std::string measured(const Matrix& actions) {
    dir_.write("m.csv", rig_log(actions));
    return "m.csv";
  }

  TemporaryDirectory dir_;
};

TEST_F(LabCommands, PlanWhatExploreDoesOnTheSameData) {
  dir_.write("same.toml",
             with(with(kRig, "horizon = 20", "horizon = 100"), "{ theta = 1, thetadot = 0.01 }",
                  "{ cos_theta = 100, sin_theta = 0.1, thetadot = 0.1 }"));
  const std::vector<std::string> settings = {"features=20", "evidence_starts=2", "plan_starts=2"};
  std::vector<std::string> begin = {"new", "same.toml", "--out", "same"},
                           explore = {"explore", "pendulum", "--no-evaluation", "--episodes",
                                      "3",       "--quiet",  "--out",           "ref"};
  begin.insert(begin.end(), settings.begin(), settings.end());
  explore.insert(explore.end(), settings.begin(), settings.end());
  ASSERT_EQ(run(begin, dir_).code, 0);
  ASSERT_EQ(run(explore, dir_).code, 0);
  const SystemSpec spec = Pendulum{}.spec();
  for (const char* episode : {"0001.csv", "0002.csv", "0003.csv"}) {
    ASSERT_EQ(run({"ask", "same", "--out", "plan.csv"}, dir_).code, 0);
    const Trajectory truth = read_trajectory(dir_.path() / "ref/episodes" / episode, spec);
    EXPECT_EQ(CsvTable(dir_.path() / "plan.csv").numbers({"torque [N m]"}, true).transpose(),
              truth.actions);
    dir_.write("m.csv", rig_log(truth.actions));
    ASSERT_EQ(run({"tell", "same", "m.csv"}, dir_).code, 0);
  }
  EXPECT_EQ(read_text(dir_.path() / "same/model.json"), read_text(dir_.path() / "ref/model.json"));
}

TEST_F(LabCommands, SayWhatIsExpectedAndWhetherItIsWorthIt) {
  const Outcome first = run({"ask", "lab", "--dry-run"}, dir_);
  EXPECT_TRUE(contains(first.err, "Nothing is known yet")) << first.err;
  EXPECT_EQ(first.out, "");
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  const Outcome second = run({"ask", "lab"}, dir_);
  EXPECT_TRUE(contains(second.err, "For the model it is worth it: ")) << second.err;
  EXPECT_TRUE(contains(second.err, "For the task it is ")) << second.err;
  EXPECT_TRUE(contains(second.err, "full knowledge would save")) << second.err;
  EXPECT_TRUE(contains(second.err, "95 % band")) << second.err;
  EXPECT_TRUE(second.out.starts_with(
      "time [s],torque [N m],theta [rad],theta_low,theta_high,thetadot [rad/s],thetadot_low"))
      << second.out;
  EXPECT_EQ(std::count(second.out.begin(), second.out.end(), '\n'), 22);
}

TEST_F(LabCommands, LeaveARunThatTheOthersUnderstand) {
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"inspect", "lab"},
                                                  {"export", "lab", "--out", "x.csv"},
                                                  {"report", "lab"}}) {
    const Outcome outcome = run(command, dir_);
    EXPECT_EQ(outcome.code, 0) << command[0] << ": " << outcome.err;
  }
  const Outcome resumed = run({"resume", "lab"}, dir_);
  EXPECT_EQ(resumed.code, 2);
  EXPECT_TRUE(contains(resumed.err, "`rhc ask lab` plans the next")) << resumed.err;
}

TEST_F(LabCommands, TakeExperimentsBack) {
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  const Outcome outcome = run({"forget", "lab", "1"}, dir_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "experiment 1 is taken back; 0 transitions are left"));
}

TEST_F(LabCommands, SolveTheTaskWithGains) {
  for (int i = 0; i < 2; ++i) ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  const Outcome outcome = run({"solve", "lab", "--out", "s.csv", "--start", "3,0.5"}, dir_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const CsvTable table(dir_.path() / "s.csv");
  const Matrix gains = table.numbers(
      {"gain_torque_cos_theta", "gain_torque_sin_theta", "gain_torque_thetadot"}, true);
  EXPECT_EQ(gains.rows(), 20);
  EXPECT_GT(gains.cwiseAbs().maxCoeff(), 0);
  EXPECT_NEAR(table.numbers({"thetadot"})(0, 0), 0.5, 1e-15);
  const Outcome json = run({"solve", "lab", "--json"}, dir_);
  EXPECT_TRUE(contains(json.out, "\"predicted_cost\":")) << json.out.substr(0, 200);
}

// Ends a command after a random time, until the notes say that it was heard.
template <class Heard>
int insist(const std::vector<std::string>& command, const TemporaryDirectory& directory,
           RandomStream& randomness, const Heard& heard) {
  int kills = 0;
  while (!heard()) {
    const Program program(command, directory);
    // Longer from time to time, so that there is an end on a machine that is busy.
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(
        randomness.uniform(0, 20 + 10 * static_cast<double>(kills))));
    program.signal(SIGKILL);
    if (program.wait().code < 0) ++kills;
  }
  return kills;
}

TEST_F(LabCommands, KilledAtAnyMomentCostsNoByteOfWhatWasMeasured) {
  const std::filesystem::path notes = dir_.path() / "lab/experiments.json";
  for (int seed = 1; seed <= repeats(2, 20); ++seed) {
    SCOPED_TRACE(seed);
    RandomStream randomness(static_cast<std::uint64_t>(seed), "kills");
    const int number = read_notes(notes).count() + 1;
    insist({"ask", "lab", "--out", "plan.csv"}, dir_, randomness,
           [&] { return read_notes(notes).count() == number; });
    const std::filesystem::path left = dir_.path() / "alone";
    std::filesystem::remove_all(left);
    std::filesystem::copy(dir_.path() / "lab", left, std::filesystem::copy_options::recursive);
    const std::string log = measured(
        read_actions(dir_.path() / "lab/plans" / episode_file(number), rig().system.spec()));
    insist({"tell", "lab", log}, dir_, randomness,
           [&] { return read_notes(notes)[number].state == ExperimentState::told; });
    ASSERT_EQ(run({"tell", "alone", log}, dir_).code, 0);
    ASSERT_EQ(run({"ask", "lab", "--dry-run"}, dir_).code, 0);
    EXPECT_EQ(slurp(dir_.path() / "lab/model.json"), slurp(left / "model.json"));
    EXPECT_EQ(slurp(dir_.path() / "lab/measured" / episode_file(number)), slurp(dir_.path() / log));
  }
}

TEST_F(LabCommands, ExplainMistakes) {
  const auto told = [&](std::vector<std::string> words) {
    const Outcome outcome = run(words, dir_);
    EXPECT_EQ(outcome.code, 2) << words[0] << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(told({"solve", "lab"}), "has learned nothing yet"));
  EXPECT_TRUE(contains(told({"tell", "lab", "rig.toml"}), "no experiment is under way"));
  EXPECT_TRUE(contains(told({"ask", "nowhere"}), "'nowhere' is not a directory"));
  EXPECT_TRUE(contains(told({"ask", "lab", "--start", "1"}), "'rig' measures 2 (theta,thetadot)"));
  EXPECT_TRUE(contains(told({"new", "rig.toml", "--out", "lab"}), "already holds a run"));
  EXPECT_TRUE(contains(told({"new", "rig.toml", "--out", "sac", "--method", "sac-pe"}),
                       "decides step by step"));
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "sac"));
  EXPECT_TRUE(contains(told({"explore", "rig.toml"}), "`rhc new rig.toml`"));
  asked();
  EXPECT_TRUE(contains(told({"tell", "lab"}), "tell what?"));
}

}  // namespace
}  // namespace rhc
