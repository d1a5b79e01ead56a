#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/report/page.h"
#include "tests/apps/small_run.h"

namespace rhc {
namespace {

std::vector<std::string> explore(std::vector<std::string> more) {
  std::vector<std::string> all = {"explore"};
  all.push_back(more[0]);
  for (const std::string& setting : small_settings()) all.push_back(setting);
  all.insert(all.end(), more.begin() + 1, more.end());
  return later_wins(all);
}

std::size_t lines(const std::filesystem::path& file) {
  const std::string text = slurp(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Explore, PrintsATableAndNamesTheRunDirectoryAndTheReport) {
  const TemporaryDirectory dir;
  const Outcome outcome =
      run(explore({"pendulum", "--method", "rand", "--episodes", "2", "--seed", "7"}), dir);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string report =
      pages_available() ? "report: runs/pendulum-random-7/report.html\n" : "";
  EXPECT_TRUE(outcome.out.ends_with("run directory: runs/pendulum-random-7\n" + report))
      << outcome.out;
  EXPECT_EQ(std::filesystem::exists(dir.path() / "runs/pendulum-random-7/report.html"),
            pages_available());
  EXPECT_EQ(lines(dir.path() / "runs/pendulum-random-7/metrics.jsonl"), 3u);
  EXPECT_EQ(outcome.err, "");
}

TEST(Explore, NumbersDefaultDirectoriesButNeverWritesIntoARun) {
  const TemporaryDirectory dir;
  ASSERT_EQ(run(explore({"pendulum", "--episodes", "1"}), dir).code, 0);
  ASSERT_EQ(run(explore({"pendulum", "--episodes", "1"}), dir).code, 0);
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "runs/pendulum-rhc-evr-1-2/metrics.jsonl"));
  const std::string before = slurp(dir.path() / "runs/pendulum-rhc-evr-1/manifest.json");
  const Outcome refused = run(explore({"pendulum", "--out", "runs/pendulum-rhc-evr-1"}), dir);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("'runs/pendulum-rhc-evr-1' already holds a run"), std::string::npos);
  EXPECT_EQ(slurp(dir.path() / "runs/pendulum-rhc-evr-1/manifest.json"), before);
}

TEST(Explore, IsSilentWhenQuiet) {
  const TemporaryDirectory dir;
  const Outcome outcome =
      run(explore({"mountain-car", "--episodes", "1", "--quiet", "--out", "r"}), dir);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "r/manifest.json"));
}

TEST(Explore, RepeatsARunFromItsConfig) {
  const TemporaryDirectory dir;
  ASSERT_EQ(
      run(explore({"cartpole", "--episodes", "2", "--out", "a", "observation_noise=0.01"}), dir)
          .code,
      0);
  ASSERT_EQ(run({"explore", "--config", "a/config.toml", "--out", "b", "--threads", "1"}, dir).code,
            0);
  EXPECT_EQ(slurp(dir.path() / "a/config.toml"), slurp(dir.path() / "b/config.toml"));
  EXPECT_EQ(slurp(dir.path() / "a/episodes/0002.csv"), slurp(dir.path() / "b/episodes/0002.csv"));
  EXPECT_EQ(slurp(dir.path() / "a/model.json"), slurp(dir.path() / "b/model.json"));
}

TEST(Explore, EndsWholeAfterCtrlC) {
  const TemporaryDirectory dir;
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string out = "run" + std::to_string(signal);
    const Program program(explore({"pendulum", "--episodes", "1000", "--out", out}), dir);
    ASSERT_TRUE(appears(dir.path() / out / "episodes/0002.csv"));
    program.signal(signal);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.code, 130);
    EXPECT_NE(outcome.err.find("interrupted after episode"), std::string::npos) << outcome.err;
    const auto manifest = nlohmann::json::parse(slurp(dir.path() / out / "manifest.json"));
    EXPECT_EQ(manifest["status"], "interrupted");
    // Every row but the first has its episode; the last episode may not have been learned from.
    const auto episodes =
        std::distance(std::filesystem::directory_iterator(dir.path() / out / "episodes"), {});
    const std::size_t rows = lines(dir.path() / out / "metrics.jsonl");
    EXPECT_GE(static_cast<std::size_t>(episodes) + 1, rows);
    EXPECT_LE(static_cast<std::size_t>(episodes), rows);
    EXPECT_EQ(manifest["episodes_done"], rows - 1);
    EXPECT_NE(outcome.err.find("`rhc resume " + out + "` goes on"), std::string::npos);
  }
}

// A file size limit stands for a full disk; the model, the largest file, no longer fits.
TEST(Explore, SaysWhenTheDiskIsFullAndKeepsWhatItHas) {
  const TemporaryDirectory dir;
  const Program program(explore({"pendulum", "--episodes", "3", "--out", "r", "features=60"}), dir,
                        [] {
                          ::signal(SIGXFSZ, SIG_IGN);
                          const rlimit limit{30000, 30000};
                          setrlimit(RLIMIT_FSIZE, &limit);
                        });
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("cannot write 'r/model.json'"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "r/episodes/0001.csv"));
  const auto manifest = nlohmann::json::parse(slurp(dir.path() / "r/manifest.json"));
  EXPECT_TRUE(manifest["status"].get<std::string>().starts_with("failed: cannot write"));
}

TEST(Explore, SaysWhenItMayNotWriteThere) {
  const TemporaryDirectory dir;
  const Outcome proc = run(explore({"pendulum", "--out", "/proc/rhc/run"}), dir);
  EXPECT_EQ(proc.code, 1);
  EXPECT_NE(proc.err.find("cannot create directory '/proc/rhc/run"), std::string::npos) << proc.err;
  dir.write("file", "");
  EXPECT_NE(run(explore({"pendulum", "--out", "file"}), dir).code, 0);
}

}  // namespace
}  // namespace rhc
