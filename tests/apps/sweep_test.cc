// A grid of runs from one command.
#include "rhc/study/sweep.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/report/page.h"
#include "tests/apps/small_run.h"
#include "tests/apps/sweeping.h"

namespace rhc {
namespace {

using nlohmann::ordered_json;

// Far more than a test waits for.
const std::string kTwoLong = tiny_sweep(
    "system = \"pendulum\"\nmethod = \"random\"\nseed = \"1-2\"\n", "episodes = 100000\n");

std::vector<ordered_json> objects_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<ordered_json> objects;
  for (std::string line; std::getline(stream, line);) objects.push_back(ordered_json::parse(line));
  return objects;
}

int finished_in(const Sweeping& sweeping) {
  const Sweep sweep = open_sweep(sweeping.path());
  return static_cast<int>(std::count_if(
      sweep.plan.runs.begin(), sweep.plan.runs.end(),
      [&](const PlannedRun& r) { return status_of(sweep, r).state == RunState::finished; }));
}

TEST(SweepDryRun, ShowsTheRunsAndMakesNothing) {
  const Sweeping sweeping(kFour);
  const Outcome outcome = sweeping.sweep({"--dry-run"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "mountain-car-random      2         0         2"))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "4 runs in s: 0 finished, 4 to do\n")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "a rough guess until runs are finished")) << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(sweeping.path()));
}

TEST(SweepDryRun, TellsTheNamesInJson) {
  const Sweeping sweeping(kFour);
  const std::vector<ordered_json> objects = objects_of(sweeping.sweep({"--dry-run", "--json"}).out);
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0]["runs"], 4);
  EXPECT_EQ(objects[0]["finished"], 0);
  EXPECT_GT(objects[0]["seconds_on_one_core"].get<double>(), 0);
  EXPECT_EQ(objects[0]["names"], (Words{"mountain-car-random-1", "pendulum-random-1",
                                        "mountain-car-random-2", "pendulum-random-2"}));
}

TEST(Sweep, DoesAllRunsAndTellsEach) {
  const Sweeping sweeping(kFour);
  const Outcome outcome = sweeping.sweep();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.out.starts_with("4 runs in s, 0 finished, about ")) << outcome.out;
  EXPECT_EQ(lines_in(outcome.out), 5u) << outcome.out;
  for (const char* name : {"mountain-car-random-1", "pendulum-random-2"})
    EXPECT_TRUE(contains(outcome.out, std::string("  ") + name + "  ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n4/4  ")) << outcome.out;
  EXPECT_EQ(finished_in(sweeping), 4);
  EXPECT_TRUE(none_left_at(sweeping.path()));
}

TEST(Sweep, LeavesTheBytesThatExploreLeaves) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  for (const std::string system : {"mountain-car", "pendulum"}) {
    ASSERT_EQ(
        run(tiny({system, "--method", "random", "--seed", "2", "--episodes", "2", "--out", system}),
            sweeping.directory())
            .code,
        0);
    EXPECT_EQ(difference(lasting_files(sweeping.directory().path() / system),
                         lasting_files(sweeping.run_path(system + "-random-2"))),
              "");
  }
}

TEST(Sweep, HasNothingToDoASecondTime) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  const auto before = identities(sweeping.path() / "runs");
  const Outcome again = sweeping.sweep();
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(lines_in(again.out), 1u) << again.out;
  EXPECT_TRUE(again.out.starts_with("4 runs in s, 4 finished, ")) << again.out;
  EXPECT_EQ(identities(sweeping.path() / "runs"), before);
}

TEST(Sweep, LeavesTheSameBytesWhateverTheNumberOfJobs) {
  const Sweeping one(kFour), four(kFour);
  ASSERT_EQ(one.sweep({"--jobs", "1", "--quiet"}).code, 0);
  ASSERT_EQ(four.sweep({"--jobs", "4", "--quiet"}).code, 0);
  EXPECT_EQ(difference(lasting_files_of_runs(one.path()), lasting_files_of_runs(four.path())), "");
}

TEST(Sweep, DoesAsManyRunsAtATimeAsItIsTold) {
  for (const std::size_t jobs : {1u, 3u}) {
    const Sweeping sweeping(tiny_sweep(
        "system = \"pendulum\"\nmethod = \"random\"\nseed = \"1-4\"\n", "episodes = 100000\n"));
    const Program program(Sweeping::words({"--jobs", std::to_string(jobs)}), sweeping.directory());
    for (std::size_t seed = 1; seed <= jobs; ++seed)
      ASSERT_TRUE(appears(sweeping.run_path("pendulum-random-" + std::to_string(seed)) /
                          "episodes/0003.csv"));
    EXPECT_EQ(processes_at(sweeping.path()).size(), jobs);
    EXPECT_FALSE(std::filesystem::exists(sweeping.run_path("pendulum-random-4")));
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait().code, 130);
  }
}

TEST(Sweep, TellsEveryRunInALineOfJson) {
  const Sweeping sweeping(kFour);
  const Outcome outcome = sweeping.sweep({"--json"});
  ASSERT_EQ(outcome.code, 0);
  const std::vector<ordered_json> events = objects_of(outcome.out);
  ASSERT_EQ(events.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(events[i]["event"], "run");
    EXPECT_EQ(events[i]["end"], "finished");
    EXPECT_EQ(events[i]["finished"], i + 1);
    EXPECT_EQ(events[i]["runs"], 4);
    EXPECT_GT(events[i]["seconds"].get<double>(), 0);
  }
}

TEST(Sweep, GoesIntoADirectoryNamedAfterItsFile) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(run({"sweep", "s.toml", "--quiet"}, sweeping.directory()).code, 0);
  EXPECT_TRUE(std::filesystem::exists(sweeping.directory().path() / "sweeps/s/sweep.json"));
}

TEST(Sweep, WorksInADirectoryWithAnyName) {
  const Sweeping sweeping(kFour);
  const std::string name = "a 'strange' \"name\" $x %j\n;&";
  const Outcome outcome = run({"sweep", "s.toml", "--out", name}, sweeping.directory());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lasting_files_of_runs(sweeping.directory().path() / name).size() > 4, true);
}

TEST(Sweep, MayBeExtendedBySeedsAndEpisodes) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  std::string more = kFour;
  more.replace(more.find("1-2"), 3, "1-3");
  more.replace(more.find("episodes = 2"), 12, "episodes = 3");
  sweeping.directory().write("s.toml", more);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  EXPECT_EQ(finished_in(sweeping), 6);
  const Sweeping at_once(more);
  ASSERT_EQ(at_once.sweep({"--quiet"}).code, 0);
  EXPECT_EQ(
      difference(lasting_files_of_runs(sweeping.path()), lasting_files_of_runs(at_once.path())),
      "");
}

TEST(SweepMistakes, AreExplainedWithExitCodeTwoAndLeaveNothing) {
  const Sweeping sweeping("[grid]\nsystem = \"pendulum\"\nsed = 1\n");
  const std::vector<std::pair<Words, std::string>> mistakes = {
      {{"sweep"}, "sweep what? name a TOML file with a [grid]"},
      {{"sweep", "none.toml"}, "none.toml"},
      {{"sweep", "s.toml"}, "s.toml:3:7: unknown setting 'sed'; did you mean 'seed'?"},
      {{"sweep", "s.toml", "--dry-run"}, "s.toml:3:7: unknown setting 'sed'"},
      {{"sweep", "s.toml", "--launcher", "slrm"}, "--launcher"},
      {{"sweep", "s.toml", "--jobs", "0"}, "--jobs"},
      {{"sweep", "status", "none"}, "'none' holds no sweep"},
      {{"sweep", "collect", "none"}, "'none' holds no sweep"},
      {{"sweep", "cancel", "none"}, "'none' holds no sweep"},
      {{"sweep", "status"}, "directory is required"},
      {{"reproduce", "--grid", "none.toml"}, "none.toml"},
  };
  for (const auto& [words, message] : mistakes) {
    const Outcome outcome = run(words, sweeping.directory());
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_TRUE(contains(outcome.err, message)) << outcome.err;
    EXPECT_EQ(outcome.out, "") << message;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(sweeping.directory().path()), {}),
              3)
        << "s.toml, out.txt and err.txt only, but after: " << message;
  }
}

TEST(SweepMistakes, InARunAreSaidBeforeAnyRunBegins) {
  const Sweeping sweeping(
      tiny_sweep("system = [\"pendulum\", \"cartpole\"]\n", "observation_noise = [1, 1, 1]\n"));
  const Outcome outcome = sweeping.sweep();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "run cartpole-rhc-evr-1: ")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(sweeping.path()));
}

TEST(SweepMistakes, AnotherGridInTheSameDirectoryIsRefused) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  const auto before = identities(sweeping.path());
  sweeping.directory().write("s.toml", kTwoLong);
  const Outcome outcome = sweeping.sweep();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "'s' holds the sweep of another grid")) << outcome.err;
  EXPECT_EQ(identities(sweeping.path()), before);
}

TEST(SweepMistakes, AFileInPlaceOfTheDirectoryIsRefused) {
  const Sweeping sweeping(kFour);
  sweeping.directory().write("s", "a file");
  const Outcome outcome = sweeping.sweep();
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "'s'")) << outcome.err;
  EXPECT_EQ(slurp(sweeping.path()), "a file");
}

TEST(SweepMistakes, ADirectoryWithOtherThingsIsRefused) {
  const Sweeping sweeping(kFour);
  std::filesystem::create_directory(sweeping.path());
  sweeping.directory().write("s/thesis.txt", "five years");
  const Outcome outcome = sweeping.sweep();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "'s' is there already and holds no sweep")) << outcome.err;
  EXPECT_EQ(all_files(sweeping.path()).size(), 1u);
}

// The second of two runs cannot be simulated.
const std::string kFailing =
    "[grid]\nsystem = \"pendulum\"\nmethod = \"random\"\nprocess_noise = [0, 1e308]\n"
    "[settings]\nfeatures = 20\nevidence_starts = 2\ntask = false\ntest_trajectories = 0\n"
    "episodes = 2\n";

TEST(SweepFailure, IsToldWithItsReasonAndDoesNotKeepOthersFromTheirEnd) {
  const Sweeping sweeping(kFailing);
  const Outcome outcome = sweeping.sweep();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err,
                       "rhc: failed: pendulum-random-process_noise=1e308-1: system "
                       "'pendulum' returned"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "rhc: 1 of 2 runs failed; --retry tries them again\n"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "  failed: system 'pendulum' returned")) << outcome.out;
  EXPECT_EQ(finished_in(sweeping), 1);
}

TEST(SweepFailure, IsToldAgainWithoutBeingTriedAgain) {
  const Sweeping sweeping(kFailing);
  ASSERT_EQ(sweeping.sweep().code, 1);
  const auto before = identities(sweeping.path() / "runs");
  const Outcome again = sweeping.sweep();
  EXPECT_EQ(again.code, 1);
  EXPECT_TRUE(contains(again.err, "1 of 2 runs failed")) << again.err;
  EXPECT_EQ(identities(sweeping.path() / "runs"), before);
}

TEST(SweepFailure, IsInTheStatus) {
  const Sweeping sweeping(kFailing);
  ASSERT_EQ(sweeping.sweep().code, 1);
  const Outcome status = run({"sweep", "status", "s"}, sweeping.directory());
  EXPECT_EQ(status.code, 0);
  EXPECT_TRUE(contains(status.out, "\nfailed: pendulum-random-process_noise=1e308-1: system"))
      << status.out;
  const auto json =
      ordered_json::parse(run({"sweep", "status", "s", "--json"}, sweeping.directory()).out);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["failures"][0]["run"], "pendulum-random-process_noise=1e308-1");
}

TEST(SweepRetry, DoesWhatFailedBefore) {
  const Sweeping sweeping(kFour);
  ASSERT_EQ(sweeping.sweep({"--quiet"}).code, 0);
  replace_in(sweeping.directory().path() / "s.toml", "1-2", "1-3");
  std::filesystem::create_directory(sweeping.run_path("pendulum-random-3"));
  sweeping.directory().write("s/runs/pendulum-random-3/thesis.txt", "five years");
  const Outcome failed = sweeping.sweep();
  EXPECT_EQ(failed.code, 1);
  EXPECT_TRUE(contains(failed.err, "failed: pendulum-random-3: ")) << failed.err;
  EXPECT_TRUE(contains(failed.err, "is not empty")) << failed.err;
  const auto before = identities(sweeping.run_path("mountain-car-random-1"));
  const Outcome again = sweeping.sweep({"--retry"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(finished_in(sweeping), 6);
  EXPECT_EQ(slurp(sweeping.run_path("pendulum-random-3.damaged") / "thesis.txt"), "five years");
  EXPECT_EQ(identities(sweeping.run_path("mountain-car-random-1")), before);
}

}  // namespace
}  // namespace rhc
