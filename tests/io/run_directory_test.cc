#include "rhc/io/run_directory.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/core/error.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

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

}  // namespace
}  // namespace rhc
