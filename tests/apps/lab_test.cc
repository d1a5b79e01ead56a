// `rhc new`, `ask`, `tell`, `forget` and `solve`, as a person types them.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "rhc/core/random.h"
#include "rhc/format/csv_table.h"
#include "rhc/format/files.h"
#include "rhc/store/lab_notes.h"
#include "rhc/store/run_record.h"
#include "rhc/store/trajectory_csv.h"
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
    const Outcome made =
        run({"new", "rig.toml", "--out", "lab", "features=20", "forecast_features=40",
             "evidence_starts=2", "plan_starts=2", "task_starts=2", "task_hops=0", "task_draws=0"},
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

TEST_F(LabCommands, LearnALimitWhereTheMachineEndedAnExperiment) {
  const std::string log = measured(asked().leftCols(7));
  const Outcome cut = run({"tell", "lab", log}, dir_);
  EXPECT_EQ(cut.code, 2);
  EXPECT_TRUE(contains(cut.err, "--ended where the machine itself did")) << cut.err;
  const Outcome told = run({"tell", "lab", log, "--ended"}, dir_);
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_TRUE(contains(told.err, "the plant ended it; plans stay where ")) << told.err;
  const Outcome next = run({"ask", "lab"}, dir_);
  EXPECT_TRUE(contains(next.err, "The machine itself ended experiments elsewhere")) << next.err;
}

TEST_F(LabCommands, SayWhatIsExpectedAndWhetherItIsWorthIt) {
  const Outcome first = run({"ask", "lab", "--dry-run"}, dir_);
  EXPECT_TRUE(contains(first.err, "Nothing is known yet")) << first.err;
  EXPECT_EQ(first.out, "");
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  const Outcome second = run({"ask", "lab"}, dir_);
  EXPECT_TRUE(contains(second.err, "For the model it is worth it: ")) << second.err;
  EXPECT_TRUE(contains(second.err, "For the task, run with feedback, it is ")) << second.err;
  EXPECT_TRUE(contains(second.err, "full knowledge would save")) << second.err;
  EXPECT_TRUE(contains(second.err, "95 % band")) << second.err;
  EXPECT_TRUE(second.out.starts_with(
      "time [s],torque [N m],theta [rad],theta_low [rad],theta_high [rad],thetadot [rad/s],"))
      << second.out;
  EXPECT_EQ(std::count(second.out.begin(), second.out.end(), '\n'), 22);
}

TEST_F(LabCommands, SayWhatWasAnnouncedAndCameAndTheNoise) {
  const Outcome first = run({"tell", "lab", measured(asked())}, dir_);
  EXPECT_FALSE(contains(first.out, "announced")) << first.out;
  const Outcome second = run({"tell", "lab", measured(asked())}, dir_);
  EXPECT_TRUE(contains(second.out, "announced and came: theta ")) << second.out;
  EXPECT_TRUE(contains(second.out, "noise: theta ")) << second.out;
  EXPECT_TRUE(contains(second.out, " rad/s a step in motion")) << second.out;
  EXPECT_TRUE(contains(run({"inspect", "lab"}, dir_).out, "noise: theta "));
}

TEST_F(LabCommands, SayWhenAPlanTakesThePlaceOfAnother) {
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  const Matrix first = asked();
  EXPECT_TRUE(contains(run({"ask", "lab", "--out", "p.csv"}, dir_).err, "as asked for before"));
  const Outcome moved = run({"ask", "lab", "--start", "2,0", "--out", "p.csv"}, dir_);
  EXPECT_TRUE(contains(moved.err, "in place of the plan that was asked for before, from another"))
      << moved.err;
}

TEST_F(LabCommands, PlanTheRestOfAnExperimentThatIsUnderWay) {
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  const Matrix plan = asked();
  dir_.write("so_far.csv", rig_log(plan.leftCols(12)));
  const Outcome tried = run({"ask", "lab", "--seen", "so_far.csv", "--dry-run"}, dir_);
  EXPECT_EQ(tried.code, 0) << tried.err;
  EXPECT_EQ(tried.out, "");
  EXPECT_EQ(asked(), plan) << "nothing was asked for";
  const Outcome rest = run({"ask", "lab", "--seen", "so_far.csv", "--out", "rest.csv"}, dir_);
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_TRUE(
      contains(rest.err, "Experiment 2: 12 of 20 steps were seen, the other 8 are planned anew"))
      << rest.err;
  EXPECT_TRUE(contains(rest.err, "95 % band")) << rest.err;
  const CsvTable table(dir_.path() / "rest.csv");
  EXPECT_NEAR(table.numbers({"time [s]"})(0, 0), 0.96, 1e-12);
  const Matrix actions = table.numbers({"torque [N m]"}, true).transpose();
  ASSERT_EQ(actions.cols(), 8);
  Matrix all(1, 20);
  all << plan.leftCols(12), actions;
  EXPECT_EQ(asked(), all) << "asked again, it is all of the experiment";
  EXPECT_EQ(run({"tell", "lab", measured(all)}, dir_).code, 0);

  const Outcome both = run({"ask", "lab", "--seen", "so_far.csv", "--count", "2"}, dir_);
  EXPECT_EQ(both.code, 2) << both.err;
  const Outcome none = run({"ask", "lab", "--seen", "so_far.csv"}, dir_);
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(contains(none.err, "no experiment is under way")) << none.err;
}

TEST_F(LabCommands, BeginWhereALogEnds) {
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  dir_.write("now.csv", rig_log(Matrix::Constant(1, 9, 0.7)));
  const Outcome there = run({"ask", "lab", "--start", "now.csv", "--out", "p.csv"}, dir_);
  ASSERT_EQ(there.code, 0) << there.err;
  const CsvTable log(dir_.path() / "now.csv"), plan(dir_.path() / "p.csv");
  EXPECT_NEAR(plan.numbers({"thetadot [rad/s]"})(0, 0), log.numbers({"thetadot"})(9, 0), 1e-9);
  ASSERT_EQ(run({"solve", "lab", "--start", "now.csv", "--out", "s.csv"}, dir_).code, 0);
  EXPECT_NEAR(CsvTable(dir_.path() / "s.csv").numbers({"thetadot"})(0, 0),
              log.numbers({"thetadot"})(9, 0), 1e-9);
  const Outcome missing = run({"ask", "lab", "--start", "nowhere.csv"}, dir_);
  EXPECT_EQ(missing.code, 2);
  EXPECT_TRUE(contains(missing.err, "there is no file 'nowhere.csv'")) << missing.err;
}

TEST_F(LabCommands, AskForAGentleExperimentWhereNoPlanKeepsItsMargin) {
  dir_.write("tight.toml", with(kRig, "range = [-8, 8]", "range = [-8, 8]\nlimits = [-1, 1]") +
                               "[safety]\nsigmas = 10\nfirst = 0.02\n");
  ASSERT_EQ(run({"new", "tight.toml", "--out", "tight", "features=20"}, dir_).code, 0);
  ASSERT_EQ(run({"ask", "tight", "--out", "plan.csv"}, dir_).code, 0);
  // Nothing that the model could trust: its doubt reaches any limit, even at rest.
  ASSERT_EQ(run({"tell", "tight", "--aborted", measured(Matrix::Constant(1, 2, 0.02))}, dir_).code,
            0);
  const Outcome vague = run({"ask", "tight", "--out", "vague.csv"}, dir_);
  EXPECT_EQ(vague.code, 0) << vague.err;
  EXPECT_TRUE(contains(vague.err, "by 10 deviations no plan stays inside the limits")) << vague.err;
  const Matrix gentle = CsvTable(dir_.path() / "vague.csv").numbers({"torque [N m]"}, true);
  EXPECT_GT(gentle.cwiseAbs().maxCoeff(), 0);
  EXPECT_LE(gentle.cwiseAbs().maxCoeff(), 0.02) << "what is allowed while nothing is known";
  const Outcome anyway = run({"ask", "tight", "--anyway", "--out", "p.csv"}, dir_);
  EXPECT_EQ(anyway.code, 0) << anyway.err;
  const Matrix actions = CsvTable(dir_.path() / "p.csv").numbers({"torque [N m]"}, true);
  EXPECT_GT(actions.cwiseAbs().maxCoeff(), 0) << "it does something";
  EXPECT_EQ(run({"ask", "tight"}, dir_).code, 0) << "what was asked for is not refused";
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
  EXPECT_TRUE(contains(outcome.out, "What was measured is kept in lab/forgotten")) << outcome.out;
  asked();
  const Outcome empty = run({"forget", "lab", "2"}, dir_);
  EXPECT_TRUE(contains(empty.out, "Nothing was measured in it")) << empty.out;
}

TEST_F(LabCommands, SayWhichPlansKnowOfAnExperimentThatIsTakenBack) {
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  asked();
  const Outcome outcome = run({"forget", "lab", "1"}, dir_);
  EXPECT_TRUE(contains(outcome.out, "experiment 2 was planned with it; `rhc ask lab --anew`"))
      << outcome.out;
}

TEST_F(LabCommands, GoOnByAnotherDescription) {
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  asked();
  dir_.write("gentler.toml", with(kRig, "bounds = [-1, 1]", "bounds = [-0.25, 0.25]"));
  const Outcome changed = run({"change", "lab", "gentler.toml"}, dir_);
  EXPECT_EQ(changed.code, 0) << changed.err;
  EXPECT_TRUE(contains(changed.out, "bounds of 'torque': [-1, 1], now [-0.25, 0.25]\n"))
      << changed.out;
  const Outcome again = run({"change", "lab", "gentler.toml"}, dir_);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(contains(again.out, "nothing differs")) << again.out;
  const Outcome outcome = run({"ask", "lab", "--out", "plan.csv"}, dir_);
  EXPECT_TRUE(contains(outcome.err, "it is planned anew")) << outcome.err;
  EXPECT_LE(asked().cwiseAbs().maxCoeff(), 0.25);
}

TEST_F(LabCommands, RefuseADescriptionThatGivesTheDataAnotherMeaning) {
  dir_.write("other.toml", with(kRig, "time_step = 0.08", "time_step = 0.04"));
  const Outcome refused = run({"change", "lab", "other.toml"}, dir_);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "time_step: 0.08, now 0.04")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "Nothing was changed; `rhc new other.toml`")) << refused.err;
  EXPECT_EQ(slurp(dir_.path() / "lab/system.toml"), kRig);
}

TEST_F(LabCommands, ObeyNoDescriptionThatWasChangedByHand) {
  dir_.write("lab/system.toml", with(kRig, "bounds = [-1, 1]", "bounds = [-9, 9]"));
  for (const char* command : {"ask", "solve"}) {
    const Outcome refused = run({command, "lab"}, dir_);
    EXPECT_EQ(refused.code, 2) << command;
    EXPECT_TRUE(contains(refused.err, "lab/system.toml: the description was changed"))
        << refused.err;
  }
  EXPECT_EQ(run({"inspect", "lab"}, dir_).code, 1);
  const Outcome repaired = run({"resume", "lab", "--repair"}, dir_);
  EXPECT_EQ(repaired.code, 0) << repaired.err;
  EXPECT_TRUE(contains(repaired.err, "repaired: lab/system.toml")) << repaired.err;
  EXPECT_EQ(slurp(dir_.path() / "lab/system.toml"), kRig);
  EXPECT_EQ(run({"ask", "lab"}, dir_).code, 0);
}

TEST_F(LabCommands, SolveTheTaskWithGains) {
  for (int i = 0; i < 2; ++i) ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  // Where an action costs much the bounds hold few: those that they hold have no gain.
  dir_.write("mild.toml", with(kRig, "torque = 0.001", "torque = 1"));
  ASSERT_EQ(run({"change", "lab", "mild.toml"}, dir_).code, 0);
  const Outcome outcome = run({"solve", "lab", "--out", "s.csv", "--start", "0.1,0.5"}, dir_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const CsvTable table(dir_.path() / "s.csv");
  const Matrix gains = table.numbers(
      {"gain_torque_cos_theta", "gain_torque_sin_theta", "gain_torque_thetadot"}, true);
  EXPECT_EQ(gains.rows(), 20);
  EXPECT_GT(gains.cwiseAbs().maxCoeff(), 0);
  EXPECT_NEAR(table.numbers({"thetadot"})(0, 0), 0.5, 1e-15);
  EXPECT_TRUE(
      slurp(dir_.path() / "s.csv")
          .starts_with("time [s],torque [N m],cos_theta,cos_theta_sd,sin_theta,sin_theta_sd,"
                       "thetadot [rad/s],thetadot_sd [rad/s],gain_torque_cos_theta,"));
  const Outcome json = run({"solve", "lab", "--json"}, dir_);
  EXPECT_TRUE(contains(json.out, "\"predicted_cost\":")) << json.out.substr(0, 200);
}

// What a plan costs by hand: a weight of 1 on the circle around each row's target, the file's own
// weights for the rest.
double cost_by_hand(const std::filesystem::path& plan, const std::function<double(Index)>& angle) {
  const CsvTable table(plan);
  const Matrix seen = table.numbers({"cos_theta", "sin_theta", "thetadot"});
  const Matrix torque = table.numbers({"torque"}, true);
  double cost = 0.001 * torque.squaredNorm();
  for (Index t = 0; t < seen.rows(); ++t)
    cost += std::pow(seen(t, 0) - std::cos(angle(t)), 2) +
            std::pow(seen(t, 1) - std::sin(angle(t)), 2) + 0.01 * std::pow(seen(t, 2), 2);
  return cost;
}

double predicted_cost(const Outcome& outcome) {
  const auto at = outcome.err.find("Predicted cost ");
  return at == std::string::npos ? std::nan("") : std::stod(outcome.err.substr(at + 15));
}

TEST_F(LabCommands, SolveATaskThatOptionsSay) {
  for (int i = 0; i < 2; ++i) ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  constexpr double kTurn = 6.283185307179586;
  const Outcome quarter = run({"solve", "lab", "--target", "theta=90deg", "--out", "q.csv"}, dir_);
  ASSERT_EQ(quarter.code, 0) << quarter.err;
  EXPECT_NEAR(predicted_cost(quarter),
              cost_by_hand(dir_.path() / "q.csv", [](Index) { return kTurn / 4; }), 1e-3);

  // From hanging up a quarter in 1.6 s, 20 steps.
  dir_.write("ref.csv", "time,theta [deg]\n0,180\n1.6,270\n");
  const Outcome follow = run({"solve", "lab", "--reference", "ref.csv", "--out", "f.csv"}, dir_);
  ASSERT_EQ(follow.code, 0) << follow.err;
  EXPECT_NEAR(
      predicted_cost(follow),
      cost_by_hand(dir_.path() / "f.csv",
                   [](Index t) { return kTurn / 2 + kTurn / 4 * static_cast<double>(t) / 20; }),
      1e-3);

  const Outcome unknown = run({"solve", "lab", "--target", "teta=1"}, dir_);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'theta'")) << unknown.err;
  const Outcome missing = run({"solve", "lab", "--reference", "nowhere.csv"}, dir_);
  EXPECT_EQ(missing.code, 2);
  EXPECT_TRUE(contains(missing.err, "nowhere.csv")) << missing.err;
}

TEST_F(LabCommands, ExportAControllerForThatTask) {
  ASSERT_EQ(run({"tell", "lab", measured(asked())}, dir_).code, 0);
  const Words task = {"--target", "theta=1.5", "--horizon", "12"};
  Words words = {"export", "lab", "--format", "c", "--out", "c.c"};
  words.insert(words.end(), task.begin(), task.end());
  const Outcome made = run(words, dir_);
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string code = slurp(dir_.path() / "c.c");
  EXPECT_TRUE(contains(code, "theta [rad] to 1.5\n")) << code.substr(0, 900);
  EXPECT_TRUE(contains(code, "Learned from 1 experiments, 20 transitions. The plan has 12 steps"));
  const Outcome refused = run({"export", "lab", "--target", "theta=1"}, dir_);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "--target is of a controller; say --format c, too"))
      << refused.err;
}

// A mass on a spring of which only the position is measured.
struct Spring {
  double position = 0, velocity = 0;

  void step(double force) {
    for (int i = 0; i < 100; ++i) {
      velocity += 0.001 * (10 * force - 16 * position - 0.5 * velocity);
      position += 0.001 * velocity;
    }
  }
};

const std::string kSpring = R"(name = "spring"
time_step = 0.1
horizon = 30
history = 2
[[observation]]
name = "position"
start = 0
range = [-2, 2]
[[action]]
name = "force"
bounds = [-2, 2]
[task]
target = { position = 0.5 }
weight = { position = 1 }
action_weight = { force = 0.001 }
)";

// A machine that stands elsewhere than planned, corrected by the gains of `rhc solve`: whether
// velocities are measured or not, that must help.
TEST_F(LabCommands, SolveWithAHistoryCorrectsByAllThatTheModelSees) {
  dir_.write("spring.toml", kSpring);
  ASSERT_EQ(run({"new", "spring.toml", "--out", "s", "features=60"}, dir_).code, 0);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    RandomStream randomness(seed, "forces");
    Spring spring;
    std::string log = "position,force\n";
    for (int t = 0; t <= 60; ++t) {
      const double force = randomness.uniform(-2, 2);
      log += exact(spring.position) + "," + exact(force) + "\n";
      spring.step(force);
    }
    dir_.write("old.csv", log);
    ASSERT_EQ(run({"tell", "s", "old.csv", "--import"}, dir_).code, 0);
  }
  const Outcome solved = run({"solve", "s", "--out", "s.csv"}, dir_);
  ASSERT_EQ(solved.code, 0) << solved.err;
  const CsvTable table(dir_.path() / "s.csv");
  const Matrix force = table.numbers({"force"}, true), position = table.numbers({"position"}),
               gains = table.numbers({"gain_force_position", "gain_force_position_1_before",
                                      "gain_force_force_1_before"},
                                     true);
  const auto cost = [&](double corrected) {
    Spring spring{.position = 0.3};
    double total = 0, off_before = 0.3, more_before = 0;
    for (Index t = 0; t < force.rows(); ++t) {
      const double off = spring.position - position(t, 0);
      const double more =
          corrected * gains.row(t).dot(Eigen::RowVector3d(off, off_before, more_before));
      spring.step(force(t, 0) + more);
      off_before = off;
      more_before = more;
      total += off * off;
    }
    return total;
  };
  EXPECT_LT(cost(1), 0.5 * cost(0));
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
    const int number = parse_notes(slurp(notes), "notes").count() + 1;
    insist({"ask", "lab", "--out", "plan.csv"}, dir_, randomness,
           [&] { return parse_notes(slurp(notes), "notes").count() == number; });
    const std::filesystem::path left = dir_.path() / "alone";
    std::filesystem::remove_all(left);
    std::filesystem::copy(dir_.path() / "lab", left, std::filesystem::copy_options::recursive);
    const std::string log = measured(
        read_actions(dir_.path() / "lab/plans" / episode_file(number), rig().system.spec()));
    insist({"tell", "lab", log}, dir_, randomness, [&] {
      return parse_notes(slurp(notes), "notes")[number].state == ExperimentState::told;
    });
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
