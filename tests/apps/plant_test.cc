// A program as a plant, as a person uses it: nothing that it does wrong costs more than its
// episode.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/core/text.h"
#include "rhc/store/run_record.h"
#include "tests/apps/program.h"
#include "tests/apps/small_run.h"
#include "tests/apps/terminal.h"
#include "tests/run_files.h"

namespace rhc {
namespace {

const char kMisbehaving[] = "python3 " RHC_TEST_PLANTS "/misbehaving.py ";

Words explore_plant(const std::string& command, const Words& more = {}) {
  Words words = {"explore",
                 "--command",
                 command,
                 "--out",
                 "run",
                 "episodes=4",
                 "features=20",
                 "forecast_features=40",
                 "evidence_starts=2",
                 "plan_starts=2",
                 "task_starts=2",
                 "task_hops=0",
                 "task_draws=0"};
  words.insert(words.end(), more.begin(), more.end());
  return later_wins(words);
}

// Without the line of names.
std::string numbers_of(const std::filesystem::path& csv) {
  const std::string text = slurp(csv);
  return text.substr(text.find('\n'));
}

TEST(Plant, ThatIsABundledSystemGivesTheSameRunBitForBit) {
  const TemporaryDirectory dir;
  const Words settings = {"--episodes",
                          "4",
                          "features=40",
                          "forecast_features=60",
                          "evidence_starts=4",
                          "plan_starts=4",
                          "task=false",
                          "test_trajectories=0",
                          "--quiet"};
  for (const char* method : {"rhc-evr", "random"}) {
    Words simulated = {"explore",  "pendulum", "--out", std::string("simulated-") + method,
                       "--method", method};
    Words program = {
        "explore",  "--command", RHC_PENDULUM_PLANT, "--out", std::string("program-") + method,
        "--method", method};
    simulated.insert(simulated.end(), settings.begin(), settings.end());
    program.insert(program.end(), settings.begin(), settings.end());
    const Outcome a = run(simulated, dir), b = run(program, dir);
    ASSERT_EQ(a.code, 0) << a.err;
    ASSERT_EQ(b.code, 0) << b.err;
    const auto one = dir.path() / simulated[3], other = dir.path() / program[4];
    for (const char* folder : {"episodes", "predictions"})
      for (const auto& entry : std::filesystem::directory_iterator(one / folder))
        EXPECT_EQ(numbers_of(entry.path()), numbers_of(other / folder / entry.path().filename()));
    for (const char* file : {"model.json", "beliefs.jsonl"})
      EXPECT_EQ(slurp(one / file), slurp(other / file)) << file;
    EXPECT_EQ(without_seconds(slurp(one / "metrics.jsonl")),
              without_seconds(slurp(other / "metrics.jsonl")));
  }
}

TEST(Plant, ThatFailsLosesTheRestOfItsEpisode) {
  const TemporaryDirectory dir;
  const Outcome outcome =
      run(explore_plant(std::string(kMisbehaving) + "crash 2 7", {"on_failure=retry"}), dir);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "\nepisode 2 ended after 6 of 20 steps: the plant `"))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "failed: it ended with exit code 3 (3 restarts left)\n"));
  const RunRecord record = read_run(dir.path() / "run");
  ASSERT_EQ(record.rows.size(), 5u);
  EXPECT_EQ(record.rows[1].steps, 20);
  EXPECT_EQ(record.rows[2].steps, 6);
  EXPECT_EQ(record.rows[3].steps, 20);
  EXPECT_EQ(record.rows[4].transitions, 66);
  EXPECT_EQ(record.rows[2].trouble, "ended after 6 of 20 steps");
  EXPECT_TRUE(contains(slurp(dir.path() / "run" / "plant.log"), "the motor is on fire\n"));
}

TEST(Plant, ThatEndsAnEpisodeTeachesALimit) {
  const TemporaryDirectory dir;
  const Outcome outcome = run(explore_plant(std::string(kMisbehaving) + "ended 2 7"), dir);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "\nepisode 2: the plant ended it; plans stay where "))
      << outcome.out;
  const RunRecord record = read_run(dir.path() / "run");
  ASSERT_EQ(record.rows.size(), 5u);
  EXPECT_EQ(record.rows[2].steps, 7);
  EXPECT_EQ(record.rows[2].trouble, "ended by the plant after 7 of 20 steps");
  EXPECT_EQ(record.rows[4].transitions, 67) << "the last step is learned from, too";
  EXPECT_TRUE(record.episodes[1]->ended);
  const Outcome inspected = run({"inspect", "run"}, dir);
  EXPECT_TRUE(contains(inspected.out, "(learned where episodes ended early)")) << inspected.out;
}

TEST(Plant, ThatEndsAnEpisodeBeforeAStepHasFailed) {
  const TemporaryDirectory dir;
  const Outcome outcome = run(explore_plant(std::string(kMisbehaving) + "ended 2 0"), dir);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "it ended the episode in its answer to reset")) << outcome.err;
}

// An emergency stop is no failure that another start could mend.
TEST(Plant, ThatStopsEndsTheRunInOrderUntilAPersonResumesIt) {
  const TemporaryDirectory dir;
  for (const char* on_failure : {"on_failure=stop", "on_failure=retry"}) {
    for (const char* left : {"run", "resets", "closed"})
      std::filesystem::remove_all(dir.path() / left);
    Outcome outcome = run(explore_plant(std::string(kMisbehaving) + "stop 2 7", {on_failure}), dir);
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_TRUE(contains(outcome.err,
                         "rhc: the plant stopped the run in episode 2: emergency stop pressed\n"))
        << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "`rhc resume run` goes on with episode 2")) << outcome.err;
    EXPECT_EQ(slurp(dir.path() / "resets"), "xx") << "no other episode begins";
    EXPECT_TRUE(std::filesystem::exists(dir.path() / "closed")) << "the plant is asked to close";
    RunRecord record = read_run(dir.path() / "run");
    EXPECT_EQ(record.manifest.status, "stopped: emergency stop pressed");
    EXPECT_EQ(record.rows.back().episode, 1) << "what was measured then is not learned from";
    EXPECT_FALSE(std::filesystem::exists(dir.path() / "run" / "episodes" / "0002.csv"));
    EXPECT_EQ(lines_in(slurp(dir.path() / "run" / "unfinished" / "0002.csv")), 8u)
        << "a line of names, the start and six steps";
    EXPECT_TRUE(contains(run({"inspect", "run"}, dir).out, "stopped: emergency stop pressed"));

    outcome = run({"resume", "run", "--yes", "--quiet"}, dir);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    record = read_run(dir.path() / "run");
    EXPECT_EQ(record.rows.back().episode, 4);
    EXPECT_EQ(record.rows[2].steps, 20);
  }
}

TEST(Plant, ThatStopsWhenItIsStartedLeavesNoRun) {
  const TemporaryDirectory dir;
  const Outcome outcome = run(explore_plant(std::string(kMisbehaving) + "stop-in-hello"), dir);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.err, "emergency stop pressed")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "run"));
}

TEST(Plant, ThatFailsIsLeftAtRestUnlessARetryIsWanted) {
  const TemporaryDirectory dir;
  for (const char* mode : {"error 2 7", "crash 2 7", "garbage 2 7"}) {
    for (const char* left : {"run", "resets"}) std::filesystem::remove_all(dir.path() / left);
    const Outcome outcome = run(explore_plant(std::string(kMisbehaving) + mode), dir);
    EXPECT_EQ(outcome.code, 1) << mode;
    EXPECT_TRUE(contains(outcome.err, "failed: it ")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "`rhc resume run` goes on")) << outcome.err;
    EXPECT_EQ(slurp(dir.path() / "resets"), "xx") << mode;
    const RunRecord record = read_run(dir.path() / "run");
    EXPECT_TRUE(record.manifest.status.starts_with("failed: the plant `"))
        << record.manifest.status;
    EXPECT_EQ(record.rows.back().episode, 1);
    EXPECT_TRUE(std::filesystem::exists(dir.path() / "run" / "unfinished" / "0002.csv"));
  }
}

TEST(Plant, ThatFailsBeforeItWasMeasuredDoesTheEpisodeAgain) {
  const TemporaryDirectory dir;
  for (const char* when : {"crash 2 0", "crash 2 1"}) {
    Words words = explore_plant(std::string(kMisbehaving) + when, {"--json", "on_failure=retry"});
    words[4] = std::string("run-") + when[8];
    std::filesystem::remove(dir.path() / "resets");
    const Outcome outcome = run(words, dir);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out,
                         "{\"event\":\"remark\",\"text\":\"episode 2 did not begin, and "
                         "is done again: the plant `"))
        << outcome.out;
    for (std::size_t i = 1; i <= 4; ++i)
      EXPECT_EQ(read_run(dir.path() / words[4]).rows[i].steps, 20);
  }
}

TEST(Plant, ThatAlwaysFailsEndsTheRunAndIsTakenUpAgain) {
  const TemporaryDirectory dir;
  // Good for one episode, then broken until it is mended.
  dir.write("plant.sh", "if [ -e broken ]; then echo 'no power' >&2; exit 1; fi\n" +
                            std::string(kMisbehaving) + "crash 2 5\n");
  Outcome outcome =
      run(explore_plant("sh plant.sh", {"on_failure=retry", "plant_restarts=0"}), dir);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "was started again 0 times already (plant_restarts = 0)"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "Its last words:\n     the motor is on fire\n")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "`rhc resume run` goes on")) << outcome.err;
  EXPECT_EQ(read_run(dir.path() / "run").rows.back().episode, 2) << "what it had measured is kept";
  EXPECT_EQ(read_run(dir.path() / "run").rows.back().steps, 4);
  const std::string before = slurp(dir.path() / "run" / "episodes" / "0002.csv");

  dir.write("broken", "");
  outcome = run({"resume", "run", "--yes"}, dir);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "no power")) << outcome.err;

  std::filesystem::remove(dir.path() / "broken");
  outcome = run({"resume", "run", "--yes"}, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read_run(dir.path() / "run").rows.back().episode, 4);
  EXPECT_EQ(slurp(dir.path() / "run" / "episodes" / "0002.csv"), before);
}

TEST(Plant, ThatCannotBeStartedLeavesNoRun) {
  const TemporaryDirectory dir;
  const Outcome outcome = run(explore_plant(std::string(kMisbehaving) + "exits"), dir);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "it ended with exit code 5")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "run"));
}

// An episode that was not finished is done again from its start.
TEST(Plant, InterruptedOrKilledInAnEpisodeDoesItAgain) {
  for (const int signal : {SIGINT, SIGKILL}) {
    const TemporaryDirectory dir;
    const Program program(
        explore_plant(std::string(kMisbehaving) + "slow 2 5", {"plant_timeout=1000"}), dir);
    // It hangs in the fifth step of the second episode.
    const auto steps = [&] { return slurp(dir.path() / "steps").size(); };
    for (int i = 0; i < 6000 && steps() < 24; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_EQ(steps(), 24u);
    program.signal(signal);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.code, signal == SIGINT ? 130 : -SIGKILL) << outcome.err;
    EXPECT_EQ(read_run(dir.path() / "run").episodes.size(), 1u);
    const Outcome resumed = run({"resume", "run", "--yes", "--quiet"}, dir);
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    const RunRecord record = read_run(dir.path() / "run");
    ASSERT_EQ(record.rows.size(), 5u);
    EXPECT_EQ(record.rows[2].steps, 20);
  }
}

TEST(Plant, EndsWithTheProgramThatIsKilled) {
  for (const char* mode : {"has-children", "has-daemon"}) {
    const TemporaryDirectory dir;
    // By a shell that stays in between.
    const Program program(
        explore_plant("true; " + std::string(kMisbehaving) + mode + "; true", {"episodes=100000"}),
        dir);
    ASSERT_TRUE(appears(dir.path() / "run" / "episodes" / "0002.csv"));
    const pid_t child = std::stoi(slurp(dir.path() / "child.pid"));
    program.signal(SIGKILL);
    program.wait();
    for (int i = 0; i < 6000 && ::kill(child, 0) == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_NE(::kill(child, 0), 0) << "the plant's child outlived rhc: " << mode;
  }
}

// The settings of a run may come from anybody.
TEST(Plant, IsNotStartedByAResumeThatNobodyConfirmed) {
  const TemporaryDirectory dir;
  ASSERT_EQ(run(explore_plant(RHC_PENDULUM_PLANT, {"--quiet"}), dir).code, 0);
  replace_in(dir.path() / "run" / "config.toml", RHC_PENDULUM_PLANT,
             "touch started; exec " RHC_PENDULUM_PLANT);
  const Files before = all_files(dir.path() / "run");
  const std::string command = "`touch started; exec " RHC_PENDULUM_PLANT "`";
  const auto started = [&] { return std::filesystem::exists(dir.path() / "started"); };

  const Words resume = {"resume", "run", "--episodes", "5"};
  const Outcome silent = run(resume, dir, [] { (void)!freopen("/dev/null", "r", stdin); });
  EXPECT_EQ(silent.code, 2);
  EXPECT_TRUE(contains(silent.err, command + " would be started; say --yes")) << silent.err;
  EXPECT_EQ(difference(all_files(dir.path() / "run"), before), "");
  EXPECT_EQ(run({"resume", "run"}, dir).code, 0) << "nothing is left that would start it";
  EXPECT_FALSE(started());

  Terminal refused(resume, dir, 500, 40);
  refused.read_until("[y/N] ");
  EXPECT_TRUE(contains(refused.bytes(), "Start " + command + "? [y/N] ")) << refused.bytes();
  refused.type('\n');
  EXPECT_EQ(refused.wait(), 1);
  EXPECT_TRUE(contains(refused.bytes(), "nothing was started")) << refused.bytes();
  EXPECT_FALSE(started());
  EXPECT_EQ(read_run(dir.path() / "run").rows.back().episode, 4);

  Terminal accepted(resume, dir, 500, 40);
  accepted.read_until("[y/N] ");
  accepted.type('y');
  accepted.type('\n');
  EXPECT_EQ(accepted.wait(), 0) << accepted.bytes();
  EXPECT_TRUE(started());
}

TEST(Plant, OfAFileOfSettingsIsNamedBeforeItIsStarted) {
  const TemporaryDirectory dir;
  ASSERT_EQ(run(explore_plant(RHC_PENDULUM_PLANT, {"--quiet"}), dir).code, 0);
  const Outcome outcome = run({"explore", "--config", "run/config.toml", "--out", "again"}, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "rhc: starting the plant `" RHC_PENDULUM_PLANT "`\n");
  Words typed = explore_plant(RHC_PENDULUM_PLANT);
  typed[4] = "typed";
  EXPECT_EQ(run(typed, dir).err, "") << "whoever types the command knows it";
}

TEST(Plant, ThatMeasuresTooMuchIsRefusedBeforeMemoryIsTaken) {
  const TemporaryDirectory dir;
  const Outcome outcome = run({"explore", "--command", std::string(kMisbehaving) + "big"}, dir);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "'lag' is too large: 2000 observations")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "; features=49 fits")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "runs"));
}

const char kLag[] =
    "name = 'lag'\ntime_step = 0.1\nhorizon = 20\n"
    "[[observation]]\nname = 'x'\nstart = 0.5\nrange = [-2, 2]\n"
    "[[observation]]\nname = 'y'\nstart = 0\nrange = [-2, 2]\n"
    "[[action]]\nname = 'u'\nbounds = [-1, 1]\n";

TEST(Plant, MayBeDescribedByAFile) {
  const TemporaryDirectory dir;
  dir.write("lag.toml", kLag);
  Words words = explore_plant(std::string(kMisbehaving) + "none", {"--quiet"});
  words.insert(words.begin() + 1, "lag.toml");
  const Outcome outcome = run(words, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(slurp(dir.path() / "run" / "system.toml"), kLag);

  std::string other = kLag;
  dir.write("lag.toml", other.replace(other.find("horizon = 20"), 12, "horizon = 21"));
  const Outcome refused = run(
      {"explore", "lag.toml", "--command", std::string(kMisbehaving) + "none", "--out", "other"},
      dir);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "says that it is another system: its horizon is 20, not 21"))
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "other"));
}

TEST(Plant, ThatDoesNotSayWhatItIsIsDescribedByTheRunThatIsRepeated) {
  const TemporaryDirectory dir;
  dir.write("lag.toml", kLag);
  Words words = explore_plant(std::string(kMisbehaving) + "nameless", {"--quiet"});
  words.insert(words.begin() + 1, "lag.toml");
  ASSERT_EQ(run(words, dir).code, 0);
  const Outcome again =
      run({"explore", "--config", "run/config.toml", "--out", "again", "--quiet"}, dir);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(slurp(dir.path() / "again" / "system.toml"), kLag);
}

TEST(Plant, IsAskedForNothingThatNeedsASimulation) {
  const TemporaryDirectory dir;
  for (const char* setting : {"test_trajectories=10", "best_achievable_transitions=10",
                              "observation_noise=0.1", "task=true"}) {
    const Outcome outcome = run(explore_plant(std::string(kMisbehaving) + "none", {setting}), dir);
    EXPECT_EQ(outcome.code, 2) << setting;
    const std::string key(setting, std::string(setting).find('='));
    EXPECT_TRUE(contains(outcome.err, "setting '" + key + "' needs")) << outcome.err;
  }
  const Outcome named = run({"explore", "pendulum", "--command", "true"}, dir);
  EXPECT_EQ(named.code, 2);
  EXPECT_TRUE(contains(named.err, "'pendulum' is a system that rhc simulates")) << named.err;
}

// Every command that reads a run reads one of a plant.
TEST(Plant, LeavesARunThatAllCommandsRead) {
  const TemporaryDirectory dir;
  Outcome outcome = run(explore_plant(RHC_PENDULUM_PLANT, {"--quiet"}), dir);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const RunRecord record = read_run(dir.path() / "run");
  EXPECT_TRUE(record.rows[4].task_cost_predicted.has_value());
  EXPECT_FALSE(record.rows[4].task_cost || record.rows[4].rmse || record.best_achievable);
  EXPECT_TRUE(record.config.judge.task);

  outcome = run({"evaluate", "run"}, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "the same to the last bit as what is stored")) << outcome.out;
  EXPECT_EQ(run({"evaluate", "run", "test_trajectories=5"}, dir).code, 2);
  EXPECT_EQ(run({"inspect", "run"}, dir).code, 0);
  EXPECT_EQ(run({"export", "run", "--format", "csv", "--out", "data"}, dir).code, 0);
  EXPECT_EQ(run({"resume", "run", "--yes", "--episodes", "5"}, dir).code, 0);
#if RHC_WITH_REPORT
  EXPECT_TRUE(contains(slurp(dir.path() / "run" / "report.html"), "rhc explore --config '"));
  outcome = run({"report", "run"}, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  outcome = run({"compare", "run", "--out", "compare.html"}, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
#endif
  // The settings repeat the run.
  outcome = run({"explore", "--config", "run/config.toml", "--out", "again", "--quiet"}, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* file : {"model.json", "episodes/0005.csv"})
    EXPECT_EQ(slurp(dir.path() / "run" / file), slurp(dir.path() / "again" / file)) << file;
}

// A program may have moved since.
TEST(Plant, IsStartedByTheCommandThatStandsInTheSettingsNow) {
  const TemporaryDirectory dir;
  ASSERT_EQ(run(explore_plant(RHC_PENDULUM_PLANT, {"--quiet"}), dir).code, 0);
  std::filesystem::create_symlink(RHC_PENDULUM_PLANT, dir.path() / "moved");
  replace_in(dir.path() / "run" / "config.toml", RHC_PENDULUM_PLANT, "touch started; ./moved");
  const Outcome outcome = run({"resume", "run", "--yes", "--episodes", "5", "--quiet"}, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "started"));
}

}  // namespace
}  // namespace rhc
