// SIGKILL at any moment: every file that is there is whole.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/core/random.h"
#include "rhc/io/config.h"
#include "rhc/io/csv.h"
#include "rhc/io/model_file.h"
#include "rhc/system/pendulum.h"
#include "tests/apps/program.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

TEST(Kill, LeavesOnlyWholeFiles) {
  const std::uint64_t seed = 1;
  RandomStream randomness(seed, "kill");
  int with_data = 0;
  const int kills = repeats(15, 300);
  for (int i = 0; i < kills; ++i) {
    const TemporaryDirectory dir;
    const Program program({"explore", "pendulum", "--quiet", "--episodes", "100000", "--out", "r",
                           "features=30", "test_trajectories=50", "evidence_starts=2",
                           "best_achievable_transitions=0", "plan_starts=2", "task=false"},
                          dir);
    const auto delay = static_cast<int>(randomness.below(400));
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    program.signal(SIGKILL);
    ASSERT_EQ(program.wait().code, -SIGKILL) << "kill " << i << ", seed " << seed;
    const auto run = dir.path() / "r";
    if (!std::filesystem::exists(run / "metrics.jsonl")) continue;

    Config config;
    EXPECT_NO_THROW(read_config(config, run / "config.toml"));
    EXPECT_EQ(nlohmann::json::parse(slurp(run / "manifest.json"))["status"], "running");
    std::istringstream metrics(slurp(run / "metrics.jsonl"));
    int rows = 0;
    for (std::string line; std::getline(metrics, line); ++rows)
      EXPECT_EQ(nlohmann::json::parse(line)["episode"], rows) << "after " << delay << " ms";
    // Every row has its episode; at most one episode waits for its row.
    int episodes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(run / "episodes"))
      if (entry.path().extension() == ".csv") {
        EXPECT_NO_THROW(read_trajectory(entry.path(), Pendulum{}.spec()));
        ++episodes;
      }
    EXPECT_GE(episodes, rows - 1);
    EXPECT_LE(episodes, rows);
    if (rows > 1) {
      EXPECT_NO_THROW(read_model(run / "model.json"));
      ++with_data;
    }
  }
  EXPECT_GT(with_data, kills / 4) << "most kills came before there was anything to lose";
}

}  // namespace
}  // namespace rhc
