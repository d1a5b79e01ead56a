#include "rhc/study/work.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rhc/store/lock.h"
#include "tests/repeats.h"
#include "tests/small_run.h"
#include "tests/study/small_sweep.h"

namespace rhc {
namespace {

class Work : public testing::Test {
 protected:
  Work() : sweep_(begun(dir_.path() / "s")), run_(sweep_.run_path(sweep_.plan.runs[0])) {}

  RunState state() const { return status_of(sweep_, sweep_.plan.runs[0]).state; }

  std::filesystem::path note() const {
    return sweep_.path / "failures" / (sweep_.plan.runs[0].name + ".txt");
  }

  // What the run leaves that nobody disturbs.
  Files undisturbed() const {
    const TemporaryDirectory dir;
    explore(dir.path() / "r", sweep_.plan.runs[0].config);
    return lasting_files(dir.path() / "r");
  }

  TemporaryDirectory dir_;
  Sweep sweep_;
  std::filesystem::path run_;
};

WorkResult retried(const Sweep& sweep) {
  WorkSettings settings;
  settings.retry = true;
  return work(sweep, 0, settings);
}

TEST_F(Work, OnANewRunLeavesTheBytesOfOneThatIsDoneByItself) {
  std::vector<int> episodes;
  WorkSettings settings;
  settings.on_episode = [&](int episode) { episodes.push_back(episode); };
  const WorkResult result = work(sweep_, 0, settings);
  EXPECT_EQ(result.end, WorkEnd::finished);
  EXPECT_GT(result.seconds, 0);
  EXPECT_EQ(episodes, (std::vector{0, 1, 2}));
  EXPECT_EQ(difference(lasting_files(run_), undisturbed()), "");
}

TEST_F(Work, OnManyRunsWithTheSameYardsticksLeavesTheSameBytes) {
  Yardsticks yardsticks(sweep_.yardsticks());
  for (const PlannedRun& run : sweep_.plan.runs)
    EXPECT_EQ(work_on(sweep_, run, yardsticks, {}).end, WorkEnd::finished);
  for (const PlannedRun& run : sweep_.plan.runs) {
    const TemporaryDirectory dir;
    explore(dir.path() / "r", run.config);
    EXPECT_EQ(difference(lasting_files(sweep_.run_path(run)), lasting_files(dir.path() / "r")), "");
  }
}

TEST_F(Work, ThatWasStoppedGoesOnWhereItWas) {
  ASSERT_EQ(work_until(sweep_, 0, 1).end, WorkEnd::interrupted);
  const std::string first = identities(run_ / "episodes")["0001.csv"];
  EXPECT_EQ(work(sweep_, 0).end, WorkEnd::finished);
  EXPECT_EQ(identities(run_ / "episodes")["0001.csv"], first) << "it was done a second time";
  EXPECT_EQ(read_manifest(run_ / "manifest.json").resumed, 1);
  EXPECT_EQ(difference(lasting_files(run_), undisturbed()), "");
}

TEST_F(Work, LeavesAFinishedRunAlone) {
  ASSERT_EQ(work(sweep_, 0).end, WorkEnd::finished);
  const auto before = identities(run_);
  const WorkResult again = work(sweep_, 0);
  EXPECT_EQ(again.end, WorkEnd::finished);
  EXPECT_EQ(again.seconds, read_manifest(run_ / "manifest.json").seconds);
  EXPECT_EQ(retried(sweep_).end, WorkEnd::finished);
  EXPECT_EQ(identities(run_), before);
}

TEST_F(Work, GoesOnWithAFinishedRunThatTheGridNowWantsLonger) {
  ASSERT_EQ(work(sweep_, 0).end, WorkEnd::finished);
  std::string longer = two_runs();
  longer.replace(longer.find("episodes = 2"), 12, "episodes = 4");
  sweep_ = begun(sweep_.path, longer);
  EXPECT_EQ(work(sweep_, 0).end, WorkEnd::finished);
  EXPECT_EQ(status_of(sweep_, sweep_.plan.runs[0]).episodes_done, 4);
  EXPECT_EQ(difference(lasting_files(run_), undisturbed()), "");
}

TEST_F(Work, DoesNotTouchARunThatAnotherIsAt) {
  work_until(sweep_, 0, 1);
  const Lock other(run_);
  const auto before = identities(run_);
  const WorkResult result = work(sweep_, 0);
  EXPECT_EQ(result.end, WorkEnd::busy);
  EXPECT_NE(result.why.find("is being written by process"), std::string::npos) << result.why;
  EXPECT_EQ(retried(sweep_).end, WorkEnd::busy);
  EXPECT_EQ(identities(run_), before);
  EXPECT_FALSE(std::filesystem::exists(note()));
}

TEST_F(Work, DoesNotTouchARunThatAnotherIsJustBeginning) {
  std::filesystem::create_directory(run_);
  const Lock other(run_);
  EXPECT_EQ(work(sweep_, 0).end, WorkEnd::busy);
  EXPECT_EQ(retried(sweep_).end, WorkEnd::busy);
  EXPECT_FALSE(std::filesystem::exists(note()));
}

// Each stage that a process may have come to when it was killed while it made the directory.
TEST_F(Work, BeginsWhereAnotherWasKilledWhileItBegan) {
  const Files expected = undisturbed();
  const std::vector<std::function<void()>> stages = {
      [] {},
      [&] { std::ofstream(run_ / "lock") << "process 1 on somewhere since long ago\n"; },
      [&] { std::filesystem::create_directory(run_ / "episodes"); },
      [&] { std::filesystem::create_directory(run_ / "predictions"); },
      [&] { std::filesystem::create_directory(run_ / "tasks"); },
      [&] { std::ofstream(run_ / "config.toml.rhc-tmp") << "system = "; },
      [&] { std::filesystem::rename(run_ / "config.toml.rhc-tmp", run_ / "config.toml"); },
      [&] { std::ofstream(run_ / "manifest.json.rhc-tmp") << "{\"for"; },
  };
  for (std::size_t last = 0; last < stages.size(); ++last) {
    SCOPED_TRACE(testing::Message() << "stage " << last);
    std::filesystem::remove_all(run_);
    std::filesystem::create_directory(run_);
    for (std::size_t stage = 0; stage <= last; ++stage) stages[stage]();
    const WorkResult result = work(sweep_, 0);
    ASSERT_EQ(result.end, WorkEnd::finished) << result.why;
    EXPECT_EQ(difference(lasting_files(run_), expected), "");
  }
}

TEST_F(Work, GoesOnWhereAnotherWasKilledBeforeItsFirstEpisode) {
  work_until(sweep_, 0, 0);
  edit_json(run_ / "manifest.json", "status", "running");
  for (const char* file : {"checkpoint", "metrics.jsonl", "best_achievable.json"})
    std::filesystem::remove(run_ / file);
  EXPECT_EQ(work(sweep_, 0).end, WorkEnd::finished);
  EXPECT_EQ(difference(lasting_files(run_), undisturbed()), "");
}

TEST_F(Work, NotesARunThatFailsAndLeavesItAloneFromThenOn) {
  sweep_ = begun(dir_.path() / "f",
                 "[grid]\nsystem = \"pendulum\"\nmethod = \"random\"\n[settings]\nfeatures = 20\n"
                 "evidence_starts = 2\ntask = false\ntest_trajectories = 0\nepisodes = 3\n"
                 "process_noise = 1e308\n");
  run_ = sweep_.run_path(sweep_.plan.runs[0]);
  const WorkResult failed = work(sweep_, 0);
  ASSERT_EQ(failed.end, WorkEnd::failed);
  EXPECT_FALSE(failed.why.empty());
  EXPECT_EQ(slurp(note()), failed.why + "\n");
  EXPECT_EQ(state(), RunState::failed);
  const auto before = identities(run_);
  const WorkResult again = work(sweep_, 0);
  EXPECT_EQ(again.end, WorkEnd::failed);
  EXPECT_EQ(again.why, failed.why);
  EXPECT_EQ(identities(run_), before);
}

TEST_F(Work, TriesAFailedRunAgainWhenAskedAndForgetsTheReason) {
  note_failure(sweep_, sweep_.plan.runs[0], "no luck");
  EXPECT_EQ(work(sweep_, 0).end, WorkEnd::failed);
  EXPECT_FALSE(std::filesystem::exists(run_));
  EXPECT_EQ(retried(sweep_).end, WorkEnd::finished);
  EXPECT_FALSE(std::filesystem::exists(note()));
  EXPECT_EQ(state(), RunState::finished);
}

TEST_F(Work, RefusesADamagedRunAndMendsItWhenAsked) {
  work_until(sweep_, 0, 1);
  std::ofstream(run_ / "episodes/0001.csv", std::ios::app) << "one,more,line\n";
  const auto before = identities(run_);
  const WorkResult refused = work(sweep_, 0);
  EXPECT_EQ(refused.end, WorkEnd::failed);
  EXPECT_NE(refused.why.find("0001.csv"), std::string::npos) << refused.why;
  EXPECT_EQ(identities(run_), before);
  EXPECT_EQ(retried(sweep_).end, WorkEnd::finished);
  Files files = lasting_files(run_);
  EXPECT_EQ(files.erase("episodes/0001.csv.damaged"), 1u);
  EXPECT_EQ(difference(files, undisturbed()), "");
}

TEST_F(Work, SetsAsideWhatNobodyCanGoOnWithWhenAsked) {
  const std::vector<std::function<void()>> spoilings = {
      [&] { std::ofstream(run_ / "manifest.json") << "{"; },
      [&] {
        for (const char* file : {"config.toml", "checkpoint"}) std::filesystem::remove(run_ / file);
      },
      [&] { edit_json(run_ / "manifest.json", "format_version", 99); },
  };
  for (std::size_t i = 0; i < spoilings.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "spoiling " << i);
    std::filesystem::remove_all(sweep_.path / "runs");
    std::filesystem::create_directory(sweep_.path / "runs");
    work_until(sweep_, 0, 1);
    spoilings[i]();
    const Files spoilt = all_files(run_);
    EXPECT_EQ(work(sweep_, 0).end, WorkEnd::failed);
    EXPECT_EQ(difference(all_files(run_), spoilt), "");
    const WorkResult again = retried(sweep_);
    ASSERT_EQ(again.end, WorkEnd::finished) << again.why;
    EXPECT_EQ(difference(all_files(run_.string() + ".damaged"), spoilt), "");
    EXPECT_EQ(difference(lasting_files(run_), undisturbed()), "");
  }
}

TEST_F(Work, SetsAsideADirectoryOrAFileOfSomebodyElseWhenAsked) {
  for (const bool file : {false, true}) {
    std::filesystem::remove_all(sweep_.path / "runs");
    std::filesystem::create_directory(sweep_.path / "runs");
    note_failure(sweep_, sweep_.plan.runs[0], "");
    if (!file) std::filesystem::create_directory(run_);
    const auto foreign = file ? run_ : run_ / "thesis.txt";
    std::ofstream(foreign) << "five years";
    EXPECT_EQ(work(sweep_, 0).end, WorkEnd::failed);
    EXPECT_EQ(slurp(foreign), "five years");
    EXPECT_EQ(retried(sweep_).end, WorkEnd::finished);
    const std::string aside = run_.string() + ".damaged";
    EXPECT_EQ(slurp(file ? aside : aside + "/thesis.txt"), "five years");
  }
}

TEST_F(Work, NeverTakesAnotherRunForItsOwn) {
  Config other = sweep_.plan.runs[0].config;
  other.model.caution = 2;
  other.episodes = 1;
  explore(run_, other);
  const Files before = all_files(run_);
  const WorkResult refused = work(sweep_, 0);
  EXPECT_EQ(refused.end, WorkEnd::failed);
  EXPECT_NE(refused.why.find("holds another run: caution is 2.0 there and 6.0 in the sweep"),
            std::string::npos)
      << refused.why;
  EXPECT_EQ(difference(all_files(run_), before), "");
  EXPECT_EQ(retried(sweep_).end, WorkEnd::finished);
  EXPECT_EQ(difference(lasting_files(run_), undisturbed()), "");
  EXPECT_EQ(slurp(run_.string() + ".damaged/episodes/0001.csv"), before.at("episodes/0001.csv"));
}

// As a run of another sweep that was copied here, say.
TEST_F(Work, NeverTakesAnotherFinishedRunForItsOwn) {
  Config other = sweep_.plan.runs[0].config;
  other.model.caution = 2;
  explore(run_, other);
  const auto before = identities(run_);
  const WorkResult refused = work(sweep_, 0);
  EXPECT_EQ(refused.end, WorkEnd::failed) << "a run of other settings counts as done";
  EXPECT_EQ(identities(run_), before);
}

// Many processes that do the run at once, each until it is done; whether all saw it finished.
bool all_finish(const Sweep& sweep, bool retry) {
  std::vector<pid_t> children;
  int gate[2];
  if (pipe(gate) != 0) return false;
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      // All at once, when the gate is shut.
      close(gate[1]);
      char nothing;
      (void)!read(gate[0], &nothing, 1);
      WorkResult result{WorkEnd::busy};
      while (result.end == WorkEnd::busy) {
        result = retry ? retried(sweep) : work(sweep, 0);
        usleep(1000);
      }
      if (result.end != WorkEnd::finished) std::fprintf(stderr, "%s\n", result.why.c_str());
      _exit(result.end == WorkEnd::finished ? 0 : 1);
    }
    children.push_back(child);
  }
  close(gate[0]);
  close(gate[1]);
  bool all = true;
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    all = all && status == 0;
  }
  return all;
}

// As tasks of a cluster that were submitted twice.
TEST_F(Work, OfManyProcessesOnTheSameRunIsDoneOnce) {
  const Files expected = undisturbed();
  for (int round = 0; round < repeats(5, 100); ++round) {
    std::filesystem::remove_all(sweep_.path / "runs");
    ASSERT_TRUE(all_finish(sweep_, false)) << "round " << round;
    ASSERT_EQ(difference(lasting_files(run_), expected), "") << "round " << round;
    ASSERT_EQ(read_manifest(run_ / "manifest.json").resumed, 0) << "round " << round;
    ASSERT_FALSE(std::filesystem::exists(note()));
  }
}

TEST_F(Work, OfManyProcessesThatMendTheSameRunIsDoneOnce) {
  const Files expected = undisturbed();
  for (int round = 0; round < repeats(5, 100); ++round) {
    std::filesystem::remove_all(sweep_.path / "runs");
    std::filesystem::create_directories(run_);
    std::ofstream(run_ / "thesis.txt") << "five years";
    ASSERT_TRUE(all_finish(sweep_, true)) << "round " << round;
    ASSERT_EQ(difference(lasting_files(run_), expected), "") << "round " << round;
    ASSERT_EQ(slurp(run_.string() + ".damaged/thesis.txt"), "five years");
    ASSERT_FALSE(std::filesystem::exists(run_.string() + ".damaged-2")) << "round " << round;
  }
}

TEST(WorkEnd, HasNamesForALauncherToRead) {
  EXPECT_STREQ(name(WorkEnd::finished), "finished");
  EXPECT_STREQ(name(WorkEnd::interrupted), "interrupted");
  EXPECT_STREQ(name(WorkEnd::busy), "busy");
  EXPECT_STREQ(name(WorkEnd::failed), "failed");
}

}  // namespace
}  // namespace rhc
