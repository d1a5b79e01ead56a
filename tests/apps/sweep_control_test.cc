// A sweep while it goes on and after it: how far it is, stopped, gone on with, its results.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/report/page.h"
#include "tests/apps/sweeping.h"
#include "tests/apps/terminal.h"

namespace rhc {
namespace {

using nlohmann::ordered_json;

// Far more than a test waits for.
const std::string kLong = tiny_sweep("system = \"pendulum\"\nmethod = \"random\"\nseed = \"1-3\"\n",
                                     "episodes = 100000\n");

// One that is being done by two processes.
class RunningSweep : public testing::Test {
 protected:
  RunningSweep()
      : sweeping_(kLong), program_(Sweeping::words({"--jobs", "2"}), sweeping_.directory()) {
    for (const char* run : {"pendulum-random-1", "pendulum-random-2"})
      EXPECT_TRUE(appears(sweeping_.run_path(run) / "episodes/0002.csv"));
  }
  ~RunningSweep() override {
    if (ended_) return;
    program_.signal(SIGTERM);
    program_.wait();
  }

  Outcome end(int signal) {
    program_.signal(signal);
    return ended();
  }
  Outcome ended() {
    ended_ = true;
    const auto outcome = program_.wait_a_minute();
    EXPECT_TRUE(outcome.has_value()) << "it did not end";
    return outcome.value_or(Outcome{});
  }

  // In a directory of its own, for the other writes its output beside s.toml.
  Outcome beside(const Words& words) const {
    const TemporaryDirectory elsewhere;
    return run(words, elsewhere);
  }

  ordered_json status() const {
    return ordered_json::parse(
        beside({"sweep", "status", sweeping_.path().string(), "--json"}).out);
  }

  Sweeping sweeping_;
  Program program_;
  bool ended_ = false;
};

TEST_F(RunningSweep, IsSeenInItsStatus) {
  const ordered_json json = status();
  EXPECT_EQ(json["runs"], 3);
  EXPECT_EQ(json["running"], 2);
  EXPECT_EQ(json["waiting"], 1);
  EXPECT_TRUE(json["owner"].get<std::string>().starts_with(
      "process " + std::to_string(program_.pid()) + " on "));
  const Outcome text = beside({"sweep", "status", sweeping_.path().string()});
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(contains(text.out, "a sweep is under way: process ")) << text.out;
}

TEST_F(RunningSweep, LetsNoSecondOneIntoItsDirectory) {
  const Outcome second = beside({"sweep", (sweeping_.directory().path() / "s.toml").string(),
                                 "--out", sweeping_.path().string()});
  EXPECT_EQ(second.code, 1);
  EXPECT_TRUE(contains(second.err, "is being written by process " + std::to_string(program_.pid())))
      << second.err;
  EXPECT_EQ(status()["running"], 2) << "the first was disturbed";
}

TEST_F(RunningSweep, EndsWhenItIsCancelledAndKeepsWhatWasDone) {
  const Outcome cancel = beside({"sweep", "cancel", sweeping_.path().string()});
  EXPECT_EQ(cancel.code, 0) << cancel.err;
  EXPECT_TRUE(contains(cancel.out, "asked process " + std::to_string(program_.pid()) +
                                       " to save its runs and end\n"))
      << cancel.out;
  EXPECT_EQ(ended().code, 130);
  EXPECT_EQ(status()["stopped"], 2);
  EXPECT_EQ(status()["owner"], nullptr);
  EXPECT_TRUE(none_left_at(sweeping_.path()));
}

TEST_F(RunningSweep, SavesItsRunsAtCtrlC) {
  const Outcome outcome = end(SIGINT);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(outcome.err, "rhc: interrupted; the same command goes on\n");
  EXPECT_TRUE(contains(outcome.out, "pendulum-random-1  interrupted\n")) << outcome.out;
  for (const char* run : {"pendulum-random-1", "pendulum-random-2"})
    EXPECT_EQ(ordered_json::parse(slurp(sweeping_.run_path(run) / "manifest.json"))["status"],
              "interrupted");
  EXPECT_FALSE(std::filesystem::exists(sweeping_.run_path("pendulum-random-3")));
  EXPECT_TRUE(none_left_at(sweeping_.path()));
}

TEST_F(RunningSweep, LeavesNoProcessAndNoDamageAtASecondCtrlC) {
  program_.signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(end(SIGINT).code, 130);
  EXPECT_TRUE(none_left_at(sweeping_.path()));
  EXPECT_EQ(status()["stopped"], 2);
  const Outcome inspected = beside({"inspect", sweeping_.run_path("pendulum-random-1").string()});
  EXPECT_EQ(inspected.code, 0) << inspected.err;
}

TEST_F(RunningSweep, MayBeCollectedAsFarAsItIs) {
  const Outcome collected = beside({"sweep", "collect", sweeping_.path().string(), "--out", "c"});
  EXPECT_EQ(collected.code, 0) << collected.err;
  EXPECT_TRUE(contains(collected.err, "1 of 3 runs have not begun")) << collected.err;
}

TEST(SweepCancel, SaysWhereThereIsNothingToCancel) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  const Outcome cancel = run({"sweep", "cancel", "s"}, sweeping.directory());
  EXPECT_EQ(cancel.code, 0);
  EXPECT_TRUE(cancel.out.starts_with("nothing is queued and nothing runs\n")) << cancel.out;
}

TEST(SweepInterrupt, AndGoingOnLeavesTheBytesOfOneThatWasLeftAlone) {
  const std::string toml =
      tiny_sweep("system = [\"mountain-car\", \"pendulum\"]\nmethod = [\"random\", \"rhc-us\"]\n",
                 "episodes = 12\n");
  const Sweeping alone(toml), stopped(toml);
  ASSERT_EQ(alone.sweep({"--quiet"}).code, 0);
  int interrupted = 0;
  // Early, in the middle and late: those that take longest come first.
  const Words files = {"mountain-car-rhc-us-1/episodes/0002.csv",
                       "mountain-car-rhc-us-1/episodes/0007.csv",
                       "pendulum-random-1/episodes/0003.csv"};
  for (const std::string& file : files) {
    const Program program(Sweeping::words({"--quiet"}), stopped.directory());
    ASSERT_TRUE(appears(stopped.run_path(file)));
    program.signal(SIGINT);
    const int code = program.wait().code;
    // Ended before it listened, it has nothing to save.
    ASSERT_TRUE(code == 130 || code == -SIGINT || code == 0) << code;
    interrupted += code == 130;
  }
  EXPECT_GT(interrupted, 0);
  ASSERT_EQ(stopped.sweep({"--quiet"}).code, 0);
  EXPECT_EQ(difference(lasting_files_of_runs(stopped.path()), lasting_files_of_runs(alone.path())),
            "");
}

TEST(SweepInterrupt, IsToldThoughNoRunWaits) {
  const Sweeping sweeping(
      tiny_sweep("system = \"pendulum\"\nmethod = \"random\"\n", "episodes = 100000\n"));
  const Program program(Sweeping::words({"--quiet"}), sweeping.directory());
  ASSERT_TRUE(appears(sweeping.run_path("pendulum-random-1/episodes/0003.csv")));
  program.signal(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(outcome.err, "rhc: interrupted; the same command goes on\n");
}

// The first Ctrl-C comes as soon as the sweep has its directory, or in the middle of its runs.
class SweepStoppedTwice : public testing::TestWithParam<const char*> {
 protected:
  void wait_for_the_moment() const { ASSERT_TRUE(appears(sweeping_.path() / GetParam())); }

  void expect_ended_in_order(const std::optional<Outcome>& outcome) const {
    ASSERT_TRUE(outcome.has_value()) << "it did not end";
    EXPECT_EQ(outcome->code, 130);
    EXPECT_EQ(outcome->err, "rhc: interrupted; the same command goes on\n");
    EXPECT_TRUE(none_left_at(sweeping_.path()));
    const auto json =
        ordered_json::parse(run({"sweep", "status", "s", "--json"}, sweeping_.directory()).out);
    EXPECT_EQ(json["failed"], 0) << json.dump();
    EXPECT_EQ(json["running"], 0) << json.dump();
  }

  const Sweeping sweeping_{kLong};
};

TEST_P(SweepStoppedTwice, EndsInOrderHoweverSoonTheSecondCtrlCComes) {
  for (const double milliseconds : {0.0, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0}) {
    SCOPED_TRACE(testing::Message() << milliseconds << " ms after the first");
    std::filesystem::remove_all(sweeping_.path());
    const Program program(Sweeping::words({"--jobs", "2"}), sweeping_.directory());
    wait_for_the_moment();
    program.signal(SIGINT);
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
    program.signal(SIGINT);
    expect_ended_in_order(program.wait_a_minute());
  }
}

TEST_P(SweepStoppedTwice, EndsInOrderHoweverManyFollow) {
  for (const int microseconds : {50, 500, 2000}) {
    SCOPED_TRACE(testing::Message() << "every " << microseconds << " microseconds");
    std::filesystem::remove_all(sweeping_.path());
    const Program program(Sweeping::words({"--jobs", "2"}), sweeping_.directory());
    wait_for_the_moment();
    std::optional<Outcome> outcome;
    while (!(outcome = program.outcome_if_ended())) {
      program.signal(SIGINT);
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    }
    expect_ended_in_order(outcome);
  }
}

INSTANTIATE_TEST_SUITE_P(Moments, SweepStoppedTwice,
                         testing::Values("lock", "runs/pendulum-random-1/episodes/0002.csv"));

TEST(SweepInterrupt, OfOneProcessAloneKeepsNoRunFromItsEnd) {
  const std::string toml =
      tiny_sweep("system = \"pendulum\"\nmethod = \"random\"\nseed = \"1-6\"\n", "episodes = 20\n");
  const Sweeping sweeping(toml);
  const Program program(Sweeping::words({"--quiet", "--jobs", "1"}), sweeping.directory());
  ASSERT_TRUE(appears(sweeping.run_path("pendulum-random-1/episodes/0003.csv")));
  for (const pid_t process : processes_at(sweeping.path())) ::kill(process, SIGTERM);
  EXPECT_EQ(program.wait().code, 0);
  const auto json =
      ordered_json::parse(run({"sweep", "status", "s", "--json"}, sweeping.directory()).out);
  EXPECT_EQ(json["finished"], 6) << json.dump();
}

TEST(SweepStatus, CountsByGroup) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  const Outcome status = run({"sweep", "status", "s"}, sweeping.directory());
  EXPECT_EQ(status.code, 0);
  EXPECT_TRUE(contains(status.out, "\nmountain-car-random      2         2        0"))
      << status.out;
  EXPECT_TRUE(contains(status.out, "\nall                      4         4        0"))
      << status.out;
  const auto json =
      ordered_json::parse(run({"sweep", "status", "s", "--json"}, sweeping.directory()).out);
  EXPECT_EQ(json["finished"], 4);
  EXPECT_EQ(json["groups"]["pendulum-random"]["finished"], 2);
  EXPECT_EQ(json["seconds_on_one_core"], 0.0);
  EXPECT_EQ(json["owner"], nullptr);
}

TEST(SweepCollect, LeavesTablesAndAPage) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  const Outcome collected = run({"sweep", "collect", "s", "--out", "c/d"}, sweeping.directory());
  ASSERT_EQ(collected.code, 0) << collected.err;
  EXPECT_EQ(collected.err, "");
  EXPECT_TRUE(contains(collected.out, "results: c/d/results.csv\ncurves: c/d/curves.csv\n"))
      << collected.out;
  const auto folder = sweeping.directory().path() / "c/d";
  const std::string results = slurp(folder / "results.csv");
  EXPECT_EQ(std::count(results.begin(), results.end(), '\n'), 1 + 4 * 3);
  EXPECT_TRUE(slurp(folder / "curves.csv").starts_with("system,method,group,metric,episode,"));
  EXPECT_EQ(std::filesystem::exists(folder / "compare.html"), pages_available());
}

TEST(SweepCollect, TellsOfRowsThatAreLackingAndFailsWhereTheyAreNowhere) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  const auto path = sweeping.run_path("pendulum-random-1");
  const auto lines = [&] {
    const std::string results = slurp(sweeping.path() / "results.csv");
    return std::count(results.begin(), results.end(), '\n');
  };
  std::filesystem::remove(path / "metrics.jsonl");
  const Outcome mended = run({"sweep", "collect", "s"}, sweeping.directory());
  EXPECT_EQ(mended.code, 0) << mended.err;
  EXPECT_TRUE(mended.err.starts_with("rhc: s/runs/pendulum-random-1: metrics.jsonl has 0 of 3 "))
      << mended.err;
  EXPECT_EQ(lines(), 1 + 4 * 3);

  std::filesystem::remove(path / "checkpoint");
  const Outcome short_of_one = run({"sweep", "collect", "s"}, sweeping.directory());
  EXPECT_EQ(short_of_one.code, 1);
  EXPECT_TRUE(short_of_one.err.starts_with("rhc: left out: s/runs/pendulum-random-1: "))
      << short_of_one.err;
  EXPECT_EQ(lines(), 1 + 3 * 3);
}

TEST(SweepCollect, RefusesWhereNoRunHasBegun) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  std::filesystem::remove_all(sweeping.path() / "runs");
  const Outcome collected = run({"sweep", "collect", "s"}, sweeping.directory());
  EXPECT_EQ(collected.code, 2);
  EXPECT_TRUE(contains(collected.err, "no run of 's' has begun yet")) << collected.err;
}

TEST(Reproduce, LeavesTablesNumbersAndAPageOfAGridOfOnesOwn) {
  const Sweeping sweeping(kFour);
  const Outcome outcome =
      run({"reproduce", "--grid", "s.toml", "--out", "r", "--no-pictures"}, sweeping.directory());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto folder = sweeping.directory().path() / "r";
  for (const char* file : {"sweep.json", "results.csv", "curves.csv", "results.md"}) {
    EXPECT_GT(std::filesystem::file_size(folder / file), 0u) << file;
    if (std::string(file) != "sweep.json") {
      EXPECT_TRUE(contains(outcome.out, std::string(": r/") + file + "\n")) << outcome.out;
    }
  }
  EXPECT_TRUE(contains(outcome.out, slurp(folder / "results.md"))) << "tables are shown";
  EXPECT_EQ(std::filesystem::exists(folder / "reproduce.html"), pages_available());
  EXPECT_FALSE(std::filesystem::exists(folder / "pictures"));
}

TEST(Reproduce, ASecondTimeDoesNoRunAgain) {
  const Sweeping sweeping(kFour);
  const Words words = {"reproduce", "--grid", "s.toml", "--out", "r", "--no-pictures", "--quiet"};
  ASSERT_EQ(run(words, sweeping.directory()).code, 0);
  const auto before = identities(sweeping.directory().path() / "r/runs");
  const std::string curves = slurp(sweeping.directory().path() / "r/curves.csv");
  const Outcome again = run(words, sweeping.directory());
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out + again.err, "");
  EXPECT_EQ(identities(sweeping.directory().path() / "r/runs"), before);
  EXPECT_EQ(slurp(sweeping.directory().path() / "r/curves.csv"), curves);
}

// Programs of this name come before all others.
void write_program(const TemporaryDirectory& directory, const std::string& name,
                   const std::string& text) {
  std::filesystem::create_directories(directory.path() / "bin");
  const std::string file = directory.write("bin/" + name, "#!/bin/sh\n" + text);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

TEST(SweepOnSlurm, ShowsTheWordsOfAClusterThatRefuses) {
  const Sweeping sweeping(kFour);
  for (const char* name : {"sbatch", "squeue", "scontrol"})
    write_program(sweeping.directory(), name,
                  "echo 'error: invalid partition specified: nowhere' >&2\nexit 1\n");
  const std::string path = (sweeping.directory().path() / "bin").string() + ":" + getenv("PATH");
  const Outcome outcome = run(Sweeping::words({"--launcher", "slurm"}), sweeping.directory(),
                              [&] { setenv("PATH", path.c_str(), 1); });
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "sbatch says:\n     error: invalid partition specified"))
      << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(SweepOnSlurm, SaysWhatToDoWhereThereIsNone) {
  const Sweeping sweeping(kFour);
  const Outcome outcome = run(Sweeping::words({"--launcher", "slurm"}), sweeping.directory(),
                              [] { setenv("PATH", "/nowhere", 1); });
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "the command sbatch was not found. Is Slurm installed here"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "`--launcher local` uses this machine's cores")) << outcome.err;
  EXPECT_EQ(sweeping.sweep({"--quiet"}).code, 0) << "the same directory, on this machine";
}

class SweepOnATerminal : public testing::TestWithParam<unsigned short> {};

TEST_P(SweepOnATerminal, ShowsABarAndLeavesALineARun) {
  const Sweeping sweeping(kFour);
  Terminal terminal(Sweeping::words(), sweeping.directory(), GetParam(), 40);
  ASSERT_EQ(terminal.wait(), 0) << terminal.bytes();
  EXPECT_TRUE(has_bar(terminal.bytes()));
  const Screen screen = terminal.screen();
  EXPECT_FALSE(has_bar(screen.text())) << screen.text();
  EXPECT_FALSE(screen.wrapped() && GetParam() >= 80) << screen.text();
  EXPECT_FALSE(screen.strange()) << terminal.bytes();
  const std::vector<std::string> lines = screen.lines();
  ASSERT_EQ(lines.size(), 1u + 4 + 1) << screen.text();
  EXPECT_TRUE(lines[0].starts_with("4 runs in s, 0 finished, about ")) << lines[0];
  for (std::size_t i = 1; i <= 4; ++i)
    EXPECT_TRUE(lines[i].starts_with(std::to_string(i) + "/4  ")) << lines[i];
  EXPECT_EQ(screen.column(), 0u);
}

TEST_P(SweepOnATerminal, LeavesAFreshLineAfterCtrlC) {
  const Sweeping sweeping(kLong);
  Terminal terminal(Sweeping::words({"--jobs", "2"}), sweeping.directory(), GetParam(), 40);
  terminal.read_until("0/3 runs");
  ASSERT_TRUE(
      terminal.read_until_exists(sweeping.run_path("pendulum-random-1") / "episodes/0002.csv"))
      << terminal.bytes();
  terminal.type('\3');
  EXPECT_EQ(terminal.wait(), 130);
  const Screen screen = terminal.screen();
  EXPECT_FALSE(has_bar(screen.text())) << terminal.bytes();
  EXPECT_EQ(screen.column(), 0u) << terminal.bytes();
  EXPECT_TRUE(contains(screen.text(), "rhc: interrupted; the same command goes on"))
      << screen.text();
  EXPECT_TRUE(none_left_at(sweeping.path()));
}

INSTANTIATE_TEST_SUITE_P(Widths, SweepOnATerminal, testing::Values(120, 60));

}  // namespace
}  // namespace rhc
