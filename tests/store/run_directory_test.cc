#include "rhc/store/run_directory.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "rhc/core/error.h"
#include "rhc/describe/config_file.h"
#include "rhc/store/lab_notes.h"
#include "rhc/system/pendulum.h"
#include "tests/run_files.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

TEST(RunDirectory, BeginsWithConfigAndManifest) {
  const TemporaryDirectory dir;
  Config config;
  config.seed = 17;
  RunDirectory run(dir.path() / "a" / "b", config);
  EXPECT_EQ(slurp(run.path() / "config.toml"), config_toml(config));
  const auto manifest = nlohmann::json::parse(slurp(run.path() / "manifest.json"));
  EXPECT_EQ(manifest["status"], "running");
  EXPECT_EQ(manifest["seed"], 17);
  EXPECT_TRUE(manifest["ended"].is_null());
}

TEST(RunDirectory, KeepsEpisodesAndMetrics) {
  const TemporaryDirectory dir;
  RunDirectory run(dir.path() / "run", Config{});
  const Trajectory t{Matrix::Zero(3, 2), Matrix::Ones(1, 1)};
  run.write_episode(1, Pendulum{}.spec(), t);
  EXPECT_EQ(slurp(run.path() / "episodes" / "0001.csv"),
            "step,cos,sin,thetadot,action\n0,0,0,0,1\n1,0,0,0,\n");
  run.commit({.episode = 0}, std::nullopt, {});
  run.commit({.episode = 1}, std::nullopt, {});
  const std::string metrics = slurp(run.path() / "metrics.jsonl");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 2);
  run.close("finished");
  const auto manifest = nlohmann::json::parse(slurp(run.path() / "manifest.json"));
  EXPECT_EQ(manifest["status"], "finished");
  EXPECT_EQ(manifest["episodes_done"], 1);
  EXPECT_TRUE(manifest["ended"].is_string());
}

TEST(RunDirectory, TouchesNothingThatIsThere) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "run";
  { RunDirectory first(path, Config{}); }
  const std::string before = slurp(path / "manifest.json");
  EXPECT_EQ(message_of<InputError>([&] { RunDirectory(path, Config{}); }),
            "'" + path.string() +
                "' already holds a run; go on with it by `rhc resume`, or choose another directory "
                "with --out");
  EXPECT_EQ(slurp(path / "manifest.json"), before);
  std::ofstream(path / kLabNotes) << "{}";
  EXPECT_NE(message_of<InputError>([&] { RunDirectory(path, Config{}); }).find("by `rhc ask` and"),
            std::string::npos);
  dir.write("notes.txt", "mine");
  EXPECT_NE(
      message_of<InputError>([&] { RunDirectory(dir.path(), Config{}); }).find("is not empty"),
      std::string::npos);
  EXPECT_NE(message_of<InputError>([&] {
              RunDirectory(dir.path() / "notes.txt", Config{});
            }).find("is a file"),
            std::string::npos);
  EXPECT_EQ(slurp(dir.path() / "notes.txt"), "mine");
}

TEST(FreePath, NumbersTakenNames) {
  const TemporaryDirectory dir;
  const auto base = dir.path() / "run";
  EXPECT_EQ(free_path(base), base);
  std::filesystem::create_directory(base);
  EXPECT_EQ(free_path(base), dir.path() / "run-2");
  std::filesystem::create_directory(dir.path() / "run-2");
  EXPECT_EQ(free_path(base), dir.path() / "run-3");
}

TEST(RunDirectory, IsMadeWhereAKilledProcessHadBegunTo) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "run";
  std::filesystem::create_directories(path / "episodes");
  std::ofstream(path / "lock") << "process 1 on nowhere\n";
  std::ofstream(path / "config.toml") << config_toml(Config{});
  std::ofstream(path / "manifest.json.rhc-tmp") << "{";
  EXPECT_NO_THROW(RunDirectory(path, Config{}));
}

TEST(RunDirectory, IsNotMadeOverSettingsOfSomebodyElse) {
  const TemporaryDirectory dir;
  dir.write("config.toml", "# my own\nfeatures = 50\n");
  EXPECT_NE(
      message_of<InputError>([&] { RunDirectory(dir.path(), Config{}); }).find("is not empty"),
      std::string::npos);
  EXPECT_EQ(slurp(dir.path() / "config.toml"), "# my own\nfeatures = 50\n");
}

TEST(RunDirectory, BelongsToOneWriterAtATime) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "run";
  const RunDirectory first(path, tiny_config());
  for (const auto& second :
       std::vector<std::function<void()>>{[&] { RunDirectory(path, tiny_config()); },
                                          [&] { RunDirectory::reopen(path, {}, false); },
                                          [&] { RunDirectory::reopen(path, {}, true); }})
    EXPECT_NE(message_of<IoError>(second).find("is being written by process"), std::string::npos);
}

TEST(Reopen, RemovesWhatAKilledProcessLeftHalfWritten) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "run";
  copy_sample_run(path);
  const Files before = lasting_files(path);
  for (const char* file : {"manifest.json", "checkpoint", "episodes/0004.csv", "tasks/0004.csv"})
    std::ofstream(path / (std::string(file) + ".rhc-tmp")) << "half";
  RunDirectory::reopen(path, {}, false);
  EXPECT_EQ(difference(lasting_files(path), before), "");
}

TEST(Reopen, LeavesFilesOfOthersAlone) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "run";
  copy_sample_run(path);
  std::filesystem::create_directory(path / "notes");
  for (const char* file : {"thesis.tmp", "notes/0001.csv.tmp", "episodes/mine.tmp"})
    std::ofstream(path / file) << "mine";
  RunDirectory::reopen(path, {}, false);
  for (const char* file : {"thesis.tmp", "notes/0001.csv.tmp", "episodes/mine.tmp"})
    EXPECT_EQ(slurp(path / file), "mine") << file;
}

TEST(Reopen, RefusesTooFewEpisodesBeforeItRepairs) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "run";
  copy_sample_run(path);
  std::ofstream(path / "episodes/0002.csv") << "";
  const Files before = all_files(path);
  EXPECT_EQ(message_of<InputError>([&] { RunDirectory::reopen(path, 2, true); }),
            "--episodes 2: '" + path.string() + "' has 3 already");
  EXPECT_EQ(difference(all_files(path), before), "");
}

TEST(Reopen, CountsHowOftenItWasResumed) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "run";
  copy_sample_run(path);
  for (const int times : {1, 2}) {
    RunDirectory::reopen(path, {}, false).close("finished");
    const Manifest manifest = read_manifest(path / "manifest.json");
    EXPECT_EQ(manifest.resumed, times);
    EXPECT_EQ(manifest.episodes_done, 3);
  }
}

TEST(Reopen, NeverCountsSecondsBackwards) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "run";
  copy_sample_run(path);
  Manifest manifest = read_manifest(path / "manifest.json");
  manifest.started = "2999-01-01T00:00:00Z";
  std::ofstream(path / "manifest.json") << manifest_json(manifest);
  RunDirectory::reopen(path, {}, false).close("finished");
  const Manifest after = read_manifest(path / "manifest.json");
  EXPECT_EQ(after.started, manifest.started);
  EXPECT_GE(after.seconds, manifest.seconds);
  EXPECT_LT(*after.ended, after.started) << "the clock on the wall is written down as it is";
}

}  // namespace
}  // namespace rhc
