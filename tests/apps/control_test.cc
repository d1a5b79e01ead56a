// `rhc control` as a person uses it: with a simulation, a program, and a plant on the fast channel.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/core/text.h"
#include "rhc/plant/child_program.h"
#include "rhc/store/run_record.h"
#include "tests/apps/program.h"
#include "tests/apps/small_run.h"
#include "tests/rig.h"
#include "tests/run_files.h"

namespace rhc {
namespace {

const std::string kLive = "exec python3 " RHC_TEST_PLANTS "/live.py ";

// A run of the pendulum in a folder of each test's own; it is made only once.
class Control : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_ = new TemporaryDirectory;
    Words words = tiny({"pendulum", "--out", "run", "--episodes", "2", "plant_timeout=1"});
    ASSERT_EQ(run(words, *made_).code, 0);
  }
  static void TearDownTestSuite() { delete made_; }

  Control() {
    std::filesystem::copy(made_->path() / "run", dir.path() / "run",
                          std::filesystem::copy_options::recursive);
  }

  Outcome controlled(const Words& more) {
    Words words = {"control", "run", "--horizon", "10"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words, dir);
  }
  // What live.py was asked to do, line by line.
  std::string actions() const { return slurp(dir.path() / "actions"); }
  std::string log() const { return slurp(dir.path() / "run/control/0001.csv"); }
  nlohmann::json summary() const {
    return nlohmann::json::parse(slurp(dir.path() / "run/control/0001.json"));
  }

  static TemporaryDirectory* made_;
  TemporaryDirectory dir;
};

TemporaryDirectory* Control::made_ = nullptr;

bool ends_with_rest(const std::string& actions) { return actions.ends_with("\n0.0\nclose\n"); }

TEST_F(Control, SimulatesTheRunsSystemInItsOwnTime) {
  const Files before = all_files(dir.path() / "run");
  const Outcome outcome = controlled({"--seconds", "8"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "Done after 8.0 s, 100 steps of 80 ms.\n")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "No deadline was missed.\n")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "Log: run/control/0001.csv\n"));
  EXPECT_EQ(lines_in(log()), 101u);
  EXPECT_EQ(summary()["ending"], "done");
  Files after = all_files(dir.path() / "run");
  std::erase_if(after, [](const auto& file) { return file.first.starts_with("control/"); });
  EXPECT_EQ(difference(before, after), "") << "nothing else of the run is touched";
}

TEST_F(Control, PrintsItsSummaryAsJson) {
  const Outcome outcome = controlled({"--seconds", "1", "--json", "--learn"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json, summary());
  EXPECT_EQ(json["format"], "rhc-control");
  EXPECT_EQ(json["steps"], 13);
  EXPECT_EQ(json["learning"], true);
  EXPECT_GT(json["learned"], 0);  // what it did not expect
}

TEST_F(Control, LeavesTheRunToAllOtherCommands) {
  ASSERT_EQ(controlled({"--seconds", "1"}).code, 0);
  ASSERT_EQ(controlled({"--seconds", "1"}).code, 0);
  const Files kept = all_files(dir.path() / "run");
  const Outcome inspected = run({"inspect", "run"}, dir);
  EXPECT_EQ(inspected.code, 0) << inspected.out;
  EXPECT_TRUE(contains(inspected.out,
                       "\ncontrolled:\n  control/0001  done, 13 steps in 1.0 s, 0 "
                       "deadlines missed, cost "))
      << inspected.out;
  const auto json = nlohmann::json::parse(run({"inspect", "run", "--json"}, dir).out);
  ASSERT_EQ(json["control"].size(), 2u);
  EXPECT_EQ(json["control"][1]["number"], 2);
  EXPECT_EQ(json["control"][1]["summary"]["steps"], 13);
  EXPECT_EQ(run({"resume", "run", "--episodes", "3", "--quiet"}, dir).code, 0);
  EXPECT_EQ(run({"evaluate", "run", "--write"}, dir).code, 0);
  EXPECT_EQ(run({"export", "run", "--format", "csv", "--out", "all.csv"}, dir).code, 0);
  for (const auto& [name, bytes] : all_files(dir.path() / "run"))
    if (name.starts_with("control/")) {
      EXPECT_EQ(bytes, kept.at(name)) << name;
    }
  EXPECT_EQ(run({"inspect", "run"}, dir).code, 0);
}

TEST_F(Control, ResumesToTheSameBytesAsIfNobodyHadControlled) {
  const TemporaryDirectory other;
  std::filesystem::copy(made_->path() / "run", other.path() / "run",
                        std::filesystem::copy_options::recursive);
  ASSERT_EQ(controlled({"--seconds", "1"}).code, 0);
  ASSERT_EQ(run({"resume", "run", "--episodes", "3", "--quiet"}, dir).code, 0);
  ASSERT_EQ(run({"resume", "run", "--episodes", "3", "--quiet"}, other).code, 0);
  Files one = lasting_files(dir.path() / "run");
  std::erase_if(one, [](const auto& file) { return file.first.starts_with("control/"); });
  EXPECT_EQ(difference(one, lasting_files(other.path() / "run")), "");
}

TEST_F(Control, SaysWhatItCannotReadOfItself) {
  std::filesystem::create_directory(dir.path() / "run/control");
  dir.write("run/control/0001.csv", "step\n");
  dir.write("run/control/0002.json", "{");
  const Outcome inspected = run({"inspect", "run"}, dir);
  EXPECT_EQ(inspected.code, 0) << "the run is whole";
  EXPECT_TRUE(contains(inspected.out, "control/0001  goes on, or was killed\n"));
  EXPECT_TRUE(contains(inspected.out, "control/0002  cannot be read: ")) << inspected.out;
}

TEST_F(Control, RunsAProgramInRealTime) {
  const Outcome outcome = controlled({"--plant", kLive + "none", "--seconds", "1.6"});
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  EXPECT_TRUE(actions().starts_with("reset\n"));
  EXPECT_TRUE(ends_with_rest(actions())) << actions();
  EXPECT_TRUE(contains(outcome.err, "rhc: starting the plant `exec python3 "));
  EXPECT_EQ(summary()["plant"], kLive + "none");
}

// What goes wrong for a while, and is counted; how often depends on who else needs the processor.
TEST_F(Control, GoesOnAfterALittleTrouble) {
  for (const char* mode : {"lost 3", "late 3", "doubled 3 2", "nan 3", "absurd 3", "garbage 3",
                           "future 3", "slow 3", "far 3", "nameless"}) {
    SCOPED_TRACE(mode);
    std::filesystem::remove_all(dir.path() / "run/control");
    std::filesystem::remove(dir.path() / "actions");
    const Outcome outcome = controlled({"--plant", kLive + mode, "--seconds", "1.6"});
    EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
    EXPECT_TRUE(ends_with_rest(actions())) << actions();
    const auto told = summary();
    const auto count = [&](const char* key) { return told[key].get<int>(); };
    EXPECT_EQ(told["dropped"]["doubled"], std::string(mode) == "doubled 3 2" ? 2 : 0);
    EXPECT_GE(count("nonsense"), std::string(mode) == "nan 3" ? 1 : 0) << told;
    EXPECT_GE(count("no_measurement"), std::string(mode) == "lost 3" ? 1 : 0) << told;
  }
}

TEST_F(Control, EndsInOrderWhereThePlantDoes) {
  struct Ending {
    const char *mode, *words;
    int code;
    bool hears_rest;
  };
  for (const Ending& ending :
       {Ending{"stop 3", "The plant stopped after ", 3, true},
        Ending{"ended 3", "The plant ended it after ", 1, true},
        Ending{"error 3", "the motor is too hot", 1, true},
        Ending{"crash 3", "it ended with exit code 3", 1, false},
        Ending{"hang 3", "nothing that could be believed was measured for ", 1, false},
        Ending{"nan 3 100000", "nothing that could be believed was measured for ", 1, true}}) {
    SCOPED_TRACE(ending.mode);
    std::filesystem::remove_all(dir.path() / "run/control");
    std::filesystem::remove(dir.path() / "actions");
    const Outcome outcome = controlled({"--plant", kLive + ending.mode, "--seconds", "1000"});
    EXPECT_EQ(outcome.code, ending.code) << outcome.err << outcome.out;
    EXPECT_TRUE(contains(outcome.out, ending.words)) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "The plant was sent the action at rest.\n"));
    EXPECT_TRUE(ends_with_rest(actions()) || !ending.hears_rest) << actions();
    EXPECT_EQ(lines_in(log()), summary()["steps"].get<std::size_t>() + 1);
  }
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "run/control/0001.log"));
}

TEST_F(Control, SendsRestWhenAPersonHasEnough) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove_all(dir.path() / "run/control");
    std::filesystem::remove(dir.path() / "actions");
    const Program program(
        {"control", "run", "--horizon", "10", "--plant", kLive + "none", "--seconds", "1000"}, dir);
    for (int i = 0; i < 6000 && lines_in(actions()) < 5; ++i) ::usleep(10000);
    program.signal(signal);
    const auto outcome = program.wait_a_minute();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->code, 130) << outcome->err << outcome->out;
    EXPECT_TRUE(ends_with_rest(actions())) << actions();
    EXPECT_TRUE(contains(outcome->out, "Interrupted after ")) << outcome->out;
    EXPECT_EQ(summary()["ending"], "interrupted");
  }
}

TEST_F(Control, IsNotKilledByASecondSignalBeforeThePlantRests) {
  const Program program(
      {"control", "run", "--horizon", "10", "--plant", kLive + "hang 5", "--seconds", "1000"}, dir);
  for (int i = 0; i < 6000 && lines_in(actions()) < 5; ++i) ::usleep(10000);
  for (int i = 0; i < 5; ++i) {
    program.signal(SIGINT);
    ::usleep(1000);
  }
  const auto outcome = program.wait_a_minute();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->code, 130) << outcome->err;
}

// The example in Python, in a time of its own.
TEST_F(Control, RunsAPlantOnTheFastChannel) {
  const std::string path = (dir.path() / "s").string();
  ChildProgram plant("exec python3 " RHC_EXAMPLES "/fast_pendulum.py '" + path + "'",
                     [](std::string_view) {});
  for (int i = 0; i < 6000 && !std::filesystem::exists(path); ++i) ::usleep(10000);
  for (int i = 1; i <= 2; ++i) {
    const Outcome outcome = controlled({"--plant", "unix:" + path, "--seconds", "2"});
    EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "Done after ")) << outcome.out;
  }
  const Program program(
      {"control", "run", "--horizon", "10", "--plant", "unix:" + path, "--seconds", "1000"}, dir);
  const auto third = dir.path() / "run/control/0003.csv";
  for (int i = 0; i < 6000 && lines_in(slurp(third)) < 5; ++i) ::usleep(10000);
  plant.stop();
  const auto outcome = program.wait_a_minute();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->code, 1) << outcome->err;
  EXPECT_TRUE(contains(outcome->out, "The plant was gone after ")) << outcome->out;
  EXPECT_TRUE(contains(outcome->out, "it hung up")) << outcome->out;
}

// A disk that takes no more stops no machine.
TEST_F(Control, GoesOnWithoutItsLog) {
  const Outcome outcome = run({"control", "run", "--horizon", "10", "--seconds", "16"}, dir, [] {
    const rlimit limit{4000, 4000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "Done after 16.0 s, 200 steps")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "The log is not whole: File too large\n")) << outcome.out;
  EXPECT_EQ(summary()["log_failure"], "File too large");
}

// What the plant of tests/plants/fast.py hears at its end.
TEST_F(Control, SendsRestThroughTheFastChannel) {
  struct Ending {
    const char *mode, *words;
    int code;
  };
  for (const Ending& ending :
       {Ending{"stop 5", "The plant stopped after ", 3},
        Ending{"ended 5", "The plant ended it after ", 1},
        Ending{"failed 5", "it failed: the motor is too hot", 1},
        Ending{"silent 5", "nothing that could be believed was measured for ", 1},
        Ending{"nan 5", "nothing that could be believed was measured for ", 1}}) {
    SCOPED_TRACE(ending.mode);
    const TemporaryDirectory other;
    const std::string path = (other.path() / "s").string();
    ChildProgram plant("cd '" + other.path().string() +
                           "' && exec python3 " RHC_TEST_PLANTS "/fast.py s " + ending.mode,
                       [](std::string_view) {});
    for (int i = 0; i < 6000 && !std::filesystem::exists(path); ++i) ::usleep(10000);
    const Outcome outcome = controlled({"--plant", "unix:" + path, "--seconds", "1000"});
    EXPECT_EQ(outcome.code, ending.code) << outcome.err << outcome.out;
    EXPECT_TRUE(contains(outcome.out, ending.words)) << outcome.out;
    for (int i = 0; i < 6000 && !std::filesystem::exists(other.path() / "end"); ++i)
      ::usleep(10000);
    EXPECT_EQ(slurp(other.path() / "end"), "rest 0.0");
  }
}

TEST_F(Control, SaysThatAnExploredRunKeepsNothing) {
  const Outcome outcome = controlled({"--seconds", "1", "--learn"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "What it learned is not kept: ")) << outcome.out;
}

TEST_F(Control, RefusesWhatCannotBe) {
  struct Wrong {
    Words words;
    const char* says;
    int code;
  };
  for (const Wrong& wrong :
       {Wrong{{"--plant", kLive + "none", "--rate", "50"},
              "--rate 50: the run has learned what happens in steps of 0.08 s; leave it out, or "
              "give --rate 12.5",
              2},
        Wrong{{"--plant", "unix:nowhere"}, "is the plant running?", 1},
        Wrong{{"--plant", "exit 3"}, "it ended with exit code 3", 1},
        Wrong{{"--plant", "python3 " RHC_EXAMPLES "/plant.py"}, "that it is another system", 2},
        Wrong{{"--plant", kLive + "stop-in-hello"}, "emergency stop pressed", 3},
        Wrong{{"--target", "speed=3"}, "speed", 2}, Wrong{{"--seconds", "-1"}, "--seconds", 2}}) {
    const Outcome outcome = controlled(wrong.words);
    EXPECT_EQ(outcome.code, wrong.code) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, wrong.says)) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(dir.path() / "run/control"));
  }
  // Nothing moves with a model that may be another one than was learned.
  std::ofstream(dir.path() / "run/episodes/0001.csv", std::ios::app) << "1,2\n";
  const Outcome damaged = controlled({"--plant", kLive + "none"});
  EXPECT_EQ(damaged.code, 2);
  EXPECT_TRUE(contains(damaged.err, "is damaged")) << damaged.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "actions"));
}

// A laboratory that was told one experiment of the pendulum that live.py is.
class LearningControl : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_ = new TemporaryDirectory;
    made_->write("rig.toml", kRig);
    ASSERT_EQ(
        run({"new", "rig.toml", "--out", "lab", "features=20", "forecast_features=40",
             "evidence_starts=2", "plan_starts=2", "task_starts=2", "task_hops=0", "task_draws=0"},
            *made_)
            .code,
        0);
    RandomStream randomness(1, "told");
    Matrix actions(1, 20);
    for (double& action : actions.reshaped()) action = randomness.uniform(-1, 1);
    made_->write("m.csv", rig_log(actions));
    ASSERT_EQ(run({"tell", "lab", "m.csv", "--import"}, *made_).code, 0);
  }
  static void TearDownTestSuite() { delete made_; }

  LearningControl() {
    std::filesystem::copy(made_->path() / "lab", dir.path() / "lab",
                          std::filesystem::copy_options::recursive);
  }
  const Words words = {"control",      "lab",       "--horizon", "10",     "--plant",
                       kLive + "none", "--seconds", "4",         "--learn"};
  int told() { return LabNotes(read_run(dir.path() / "lab").lab->notes).count(); }
  bool left() { return std::filesystem::exists(dir.path() / "lab/control/0001-learning"); }

  static TemporaryDirectory* made_;
  TemporaryDirectory dir;
};

TemporaryDirectory* LearningControl::made_ = nullptr;

TEST_F(LearningControl, MakesExperimentsOfWhatItLearned) {
  const Outcome outcome = run(words, dir);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "What it learned is kept: experiment")) << outcome.out;
  EXPECT_GT(told(), 1);
  EXPECT_FALSE(left());
  const auto summary = nlohmann::json::parse(slurp(dir.path() / "lab/control/0001.json"));
  EXPECT_EQ(summary["experiments"].size(), static_cast<std::size_t>(told() - 1));
  EXPECT_EQ(summary["experiments"][0], 2);
  EXPECT_EQ(run({"ask", "lab"}, dir).code, 0);
  EXPECT_EQ(run({"forget", "lab", "2"}, dir).code, 0);
}

TEST_F(LearningControl, IsKeptLaterWhereItWasKilled) {
  const Program program(words, dir);
  const auto log = dir.path() / "lab/control/0001.csv";
  for (int i = 0; i < 6000 && lines_in(slurp(log)) < 25; ++i) ::usleep(10000);
  program.signal(SIGKILL);
  program.wait();
  ASSERT_TRUE(left());
  EXPECT_EQ(told(), 1);
  const Outcome solved = run({"solve", "lab"}, dir);
  EXPECT_TRUE(contains(solved.err, "what was learned in control/0001 is not kept yet"))
      << solved.err;
  const Outcome asked = run({"ask", "lab"}, dir);
  ASSERT_EQ(asked.code, 0) << asked.err;
  EXPECT_TRUE(contains(asked.err, "a controller was ended before it kept what it had learned"))
      << asked.err;
  EXPECT_GT(told(), 2) << "what was asked for comes on top";
  EXPECT_FALSE(left());
}

TEST_F(LearningControl, IsKeptOnceHoweverOftenItIsBegunAnew) {
  ASSERT_EQ(run(words, dir).code, 0);
  const int once = told();
  // As if it had been ended before the mark was taken away.
  std::filesystem::create_directory(dir.path() / "lab/control/0001-learning");
  int n = 0;
  for (int experiment = 2; experiment <= once; ++experiment)
    std::filesystem::copy(dir.path() / "lab/measured" / fmt::format("{:04}.csv", experiment),
                          dir.path() / "lab/control/0001-learning" / fmt::format("{:02}.csv", ++n));
  dir.write("lab/control/0001-learning/pieces", fmt::format("{},50", n));
  ASSERT_EQ(run({"ask", "lab"}, dir).code, 0);
  EXPECT_EQ(told(), once + 1) << "only what was asked for";
  EXPECT_FALSE(left());
}

}  // namespace
}  // namespace rhc
