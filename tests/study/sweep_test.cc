#include "rhc/study/sweep.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/core/version.h"
#include "rhc/describe/config_file.h"
#include "rhc/store/lock.h"
#include "tests/study/small_sweep.h"

namespace rhc {
namespace {

std::string grid_of(const std::string& seeds, const std::string& settings = "episodes = 2\n") {
  return tiny_sweep("system = \"mountain-car\"\nmethod = \"random\"\nseed = " + seeds + "\n",
                    settings);
}

class SweepTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return dir_.path() / "s"; }

  std::string refusal(const std::string& toml) const {
    return message_of<InputError>([&] { begun(path(), toml); });
  }

  RunStatus status(const Sweep& sweep, std::size_t run = 0) const {
    return status_of(sweep, sweep.plan.runs[run]);
  }

  TemporaryDirectory dir_;
};

TEST_F(SweepTest, BeginsWithItsFileAndNoRuns) {
  const Sweep sweep = begun(path());
  EXPECT_EQ(sweep.version, version());
  EXPECT_EQ(sweep.id.size(), 8u);
  EXPECT_EQ(sweep.plan.runs.size(), 2u);
  EXPECT_EQ(Json::parse(slurp(path() / "sweep.json"))["file"], two_runs());
  EXPECT_TRUE(std::filesystem::is_empty(path() / "runs"));
}

TEST_F(SweepTest, OpensAsItWasBegun) {
  const Sweep sweep = begun(path()), opened = open_sweep(path());
  EXPECT_EQ(opened.id, sweep.id);
  EXPECT_EQ(opened.version, sweep.version);
  ASSERT_EQ(opened.plan.runs.size(), 2u);
  EXPECT_EQ(opened.plan.runs[1].name, sweep.plan.runs[1].name);
  EXPECT_EQ(config_toml(opened.plan.runs[1].config), config_toml(sweep.plan.runs[1].config));
  EXPECT_EQ(opened.run_path(opened.plan.runs[1]), path() / "runs" / "mountain-car-random-2");
}

TEST_F(SweepTest, GoesOnWithTheSameGrid) {
  const Sweep sweep = begun(path());
  const std::string before = slurp(path() / "sweep.json");
  EXPECT_EQ(begun(path()).id, sweep.id);
  EXPECT_EQ(slurp(path() / "sweep.json"), before);
}

TEST_F(SweepTest, ForTheirJobsToBeToldApartHaveNamesOfTheirOwn) {
  EXPECT_NE(begun(path()).id, begun(dir_.path() / "t").id);
}

TEST_F(SweepTest, MayBeExtendedBySeedsMethodsAndEpisodes) {
  const Sweep sweep = begun(path(), grid_of("\"1-2\""));
  EXPECT_EQ(begun(path(), grid_of("\"1-5\"")).plan.runs.size(), 5u);
  EXPECT_EQ(begun(path(), grid_of("\"0-5\"", "episodes = 9\n")).plan.runs.size(), 6u);
  const std::string both =
      tiny_sweep("system = \"mountain-car\"\nmethod = [\"rhc-us\", \"random\"]\nseed = \"0-5\"\n",
                 "episodes = 9\n");
  EXPECT_EQ(begun(path(), both).plan.runs.size(), 12u);
  EXPECT_EQ(open_sweep(path()).plan.runs.size(), 12u);
  EXPECT_EQ(open_sweep(path()).id, sweep.id);
}

TEST_F(SweepTest, MayChangeWhatIsAskedOfTheCluster) {
  begun(path());
  EXPECT_EQ(begun(path(), two_runs() + "[slurm]\nchunk = 7\n").plan.slurm.chunk, 7);
}

TEST_F(SweepTest, RefusesAnotherGridAndTouchesNothing) {
  begun(path());
  const auto before = identities(path());
  const std::string fewer_seeds = refusal(grid_of("[1]"));
  EXPECT_NE(fewer_seeds.find("holds the sweep of another grid: it has the run "
                             "mountain-car-random-2, the grid has not. Nothing was touched"),
            std::string::npos)
      << fewer_seeds;
  const std::string other_settings = refusal(grid_of("\"1-2\"", "episodes = 2\ncaution = 2\n"));
  EXPECT_NE(
      other_settings.find("mountain-car-random-1 has caution = 6.0 there and 2.0 in the grid"),
      std::string::npos)
      << other_settings;
  const std::string fewer_episodes = refusal(grid_of("\"1-2\"", "episodes = 1\n"));
  EXPECT_NE(fewer_episodes.find("mountain-car-random-1 has 2 episodes there and 1 in the grid"),
            std::string::npos)
      << fewer_episodes;
  EXPECT_EQ(identities(path()), before);
}

TEST_F(SweepTest, RefusesTheRunsOfAnotherVersion) {
  begun(path());
  edit_json(path() / "sweep.json", "rhc", "0.0.1");
  const auto before = identities(path());
  const std::string said = refusal(two_runs());
  EXPECT_NE(said.find("was begun by rhc 0.0.1, this is " + std::string(version()) +
                      ": runs of both would be mixed"),
            std::string::npos)
      << said;
  EXPECT_EQ(identities(path()), before);
}

TEST_F(SweepTest, RefusesADirectoryWithOtherThings) {
  std::filesystem::create_directory(path());
  dir_.write("s/thesis.txt", "five years");
  const std::string said = refusal(two_runs());
  EXPECT_NE(said.find("is there already and holds no sweep; choose a new directory with --out"),
            std::string::npos)
      << said;
  EXPECT_EQ(all_files(path()).size(), 1u);
}

TEST_F(SweepTest, RefusesAFileInPlaceOfADirectory) {
  dir_.write("s", "a file");
  EXPECT_NE(refusal(two_runs()).find("holds no sweep"), std::string::npos);
  EXPECT_EQ(slurp(path()), "a file");
}

TEST_F(SweepTest, BeginsWhereAProcessWasKilledWhileItBegan) {
  std::filesystem::create_directory(path());
  dir_.write("s/lock", "process 1 on somewhere since long ago\n");
  dir_.write("s/sweep.json.rhc-tmp", "{\"for");
  EXPECT_NO_THROW(begun(path()));
  EXPECT_EQ(open_sweep(path()).plan.runs.size(), 2u);
}

TEST_F(SweepTest, GoesOnWhereAProcessWasKilledBeforeItMadeItsFile) {
  std::filesystem::create_directories(path() / "runs");
  EXPECT_NO_THROW(begun(path()));
}

TEST_F(SweepTest, RefusesABadGridAndMakesNothing) {
  EXPECT_NE(refusal("[grid]\n").find("s.toml: the grid names no system"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(SweepTest, OpensNoDirectoryWithoutOne) {
  EXPECT_NE(message_of<InputError>([&] { open_sweep(path()); }).find("holds no sweep (it has no"),
            std::string::npos);
}

TEST_F(SweepTest, SaysWhatIsWrongWithADamagedFile) {
  begun(path());
  const std::string whole = slurp(path() / "sweep.json");
  Json other = Json::parse(whole), newer = other, no_grid = other, no_text = other, no_id = other,
       line_as_id = other;
  other["format"] = "rhc-run";
  newer["format_version"] = 2;
  no_grid["file"] = "[settings]\n";
  no_text["file"] = 7;
  no_id["id"] = "";
  line_as_id["id"] = "1\nrm -rf x";
  for (const std::string& bad :
       {std::string(), whole.substr(0, 100), other.dump(), newer.dump(), no_grid.dump(),
        no_text.dump(), no_id.dump(), line_as_id.dump(), std::string("[]"), std::string("{}")}) {
    dir_.write("s/sweep.json", bad);
    const std::string opened = message_of<InputError>([&] { open_sweep(path()); });
    EXPECT_NE(opened.find("sweep.json"), std::string::npos) << bad << ": " << opened;
    EXPECT_EQ(refusal(two_runs()), opened) << "it was begun anew over runs that may be there";
    EXPECT_EQ(slurp(path() / "sweep.json"), bad);
  }
}

TEST_F(SweepTest, KnowsRunsThatWait) {
  const RunStatus waiting = status(begun(path()));
  EXPECT_EQ(waiting.state, RunState::waiting);
  EXPECT_EQ(waiting.episodes_done, 0);
}

TEST_F(SweepTest, KnowsRunsThatAreFinished) {
  const Sweep sweep = begun(path());
  ASSERT_EQ(work(sweep, 0).end, WorkEnd::finished);
  EXPECT_EQ(status(sweep, 0).state, RunState::finished);
  EXPECT_EQ(status(sweep, 0).episodes_done, 2);
  EXPECT_GT(status(sweep, 0).seconds, 0);
  EXPECT_EQ(status(sweep, 1).state, RunState::waiting);
}

TEST_F(SweepTest, KnowsRunsThatSomebodyIsAt) {
  const Sweep sweep = begun(path());
  std::filesystem::create_directory(path() / "runs/mountain-car-random-1");
  {
    const Lock beginning(path() / "runs/mountain-car-random-1");
    EXPECT_EQ(status(sweep).state, RunState::running) << "before there is a manifest";
  }
  work_until(sweep, 0, 1);
  const Lock going_on(path() / "runs/mountain-car-random-1");
  const RunStatus running = status(sweep);
  EXPECT_EQ(running.state, RunState::running);
  EXPECT_EQ(running.episodes_done, 1);
  EXPECT_TRUE(running.why.starts_with("process " + std::to_string(::getpid()) + " on "));
}

TEST_F(SweepTest, KnowsRunsThatWereInterrupted) {
  const Sweep sweep = begun(path());
  ASSERT_EQ(work_until(sweep, 0, 1).end, WorkEnd::interrupted);
  const RunStatus stopped = status(sweep);
  EXPECT_EQ(stopped.state, RunState::stopped);
  EXPECT_EQ(stopped.why, "interrupted");
  EXPECT_EQ(stopped.episodes_done, 1);
}

// A manifest that says "running" though nobody is; how far it is stands in the metrics.
TEST_F(SweepTest, KnowsRunsThatWereKilled) {
  const Sweep sweep = begun(path());
  work_until(sweep, 0, 1);
  const auto run = path() / "runs/mountain-car-random-1";
  edit_json(run / "manifest.json", "status", "running");
  edit_json(run / "manifest.json", "episodes_done", 0);
  std::ofstream(run / "lock") << "process 1 on somewhere since long ago\n";
  const RunStatus stopped = status(sweep);
  EXPECT_EQ(stopped.state, RunState::stopped);
  EXPECT_EQ(stopped.why, "killed");
  EXPECT_EQ(stopped.episodes_done, 1);
}

TEST_F(SweepTest, KnowsFinishedRunsThatTheGridNowWantsLonger) {
  ASSERT_EQ(work(begun(path()), 0).end, WorkEnd::finished);
  const Sweep longer = begun(path(), grid_of("\"1-2\"", "episodes = 4\n"));
  EXPECT_EQ(status(longer).state, RunState::stopped);
  EXPECT_EQ(status(longer).episodes_done, 2);
}

TEST_F(SweepTest, KnowsRunsThatFailedByTheirManifest) {
  const Sweep sweep = begun(path());
  work_until(sweep, 0, 1);
  edit_json(path() / "runs/mountain-car-random-1/manifest.json", "status", "failed: no luck");
  EXPECT_EQ(status(sweep).state, RunState::failed);
  EXPECT_EQ(status(sweep).why, "no luck");
}

TEST_F(SweepTest, KnowsRunsThatFailedByTheirNote) {
  const Sweep sweep = begun(path());
  note_failure(sweep, sweep.plan.runs[0], "it killed its process");
  EXPECT_EQ(status(sweep).state, RunState::failed);
  EXPECT_EQ(status(sweep).why, "it killed its process");
  EXPECT_EQ(status(sweep, 1).state, RunState::waiting);
  note_failure(sweep, sweep.plan.runs[0], "");
  EXPECT_EQ(status(sweep).state, RunState::waiting);
}

TEST_F(SweepTest, TakesARunThatSomebodyIsAtAgainForRunningWhateverItsNoteSays) {
  const Sweep sweep = begun(path());
  work_until(sweep, 0, 1);
  note_failure(sweep, sweep.plan.runs[0], "once");
  const Lock again(path() / "runs/mountain-car-random-1");
  EXPECT_EQ(status(sweep).state, RunState::running);
}

TEST_F(SweepTest, KnowsRunsWhoseManifestCannotBeRead) {
  const Sweep sweep = begun(path());
  work(sweep, 0);
  for (const char* bad : {"", "{", "{\"format\": \"rhc-run\", \"format_version\": 99}"}) {
    dir_.write("s/runs/mountain-car-random-1/manifest.json", bad);
    EXPECT_EQ(status(sweep).state, RunState::failed);
    EXPECT_NE(status(sweep).why.find("manifest.json"), std::string::npos) << status(sweep).why;
  }
}

TEST_F(SweepTest, KnowsDirectoriesThatHoldAnotherRun) {
  const Sweep sweep = begun(path());
  work(sweep, 0);
  const auto file = path() / "runs/mountain-car-random-1/config.toml";
  Config config = sweep.plan.runs[0].config;
  config.episodes = 1;
  std::ofstream(file) << config_toml(config);
  EXPECT_EQ(status(sweep).state, RunState::finished) << "its length may have been changed";
  config.model.caution = 2;
  std::ofstream(file) << config_toml(config);
  EXPECT_EQ(status(sweep).state, RunState::failed);
  EXPECT_NE(status(sweep).why.find("holds another run: caution is 2.0 there and 6.0 in the sweep"),
            std::string::npos)
      << status(sweep).why;
  std::filesystem::remove(file);
  EXPECT_EQ(status(sweep).state, RunState::failed);
}

// Nodes of a cluster do not agree about the time.
TEST_F(SweepTest, NoStateDependsOnAClock) {
  const Sweep sweep =
      begun(path(), tiny_sweep("system = \"mountain-car\"\nmethod = \"random\"\nseed = \"1-4\"\n"));
  work(sweep, 0);
  work_until(sweep, 1, 1);
  work_until(sweep, 2, 1);
  const Lock held(path() / "runs/mountain-car-random-3");
  const auto states = [&] {
    std::vector<RunState> all;
    for (std::size_t run = 0; run < 4; ++run) all.push_back(status(sweep, run).state);
    return all;
  };
  const std::vector<RunState> before = states();
  ASSERT_EQ(before, (std::vector{RunState::finished, RunState::stopped, RunState::running,
                                 RunState::waiting}));
  using Days = std::chrono::duration<int, std::ratio<86400>>;
  for (const int days : {-20000, 20000}) {
    const auto time = std::filesystem::file_time_type::clock::now() + Days(days);
    const char* started = days < 0 ? "1971-01-01T00:00:00Z" : "2099-01-01T00:00:00Z";
    for (const char* run : {"1", "2", "3"}) {
      const auto folder = path() / "runs" / (std::string("mountain-car-random-") + run);
      edit_json(folder / "manifest.json", "started", started);
      edit_json(folder / "manifest.json", "ended", started);
    }
    for (const auto& [name, bytes] : all_files(path()))
      std::filesystem::last_write_time(path() / name, time);
    EXPECT_EQ(states(), before) << days << " days";
  }
}

}  // namespace
}  // namespace rhc
