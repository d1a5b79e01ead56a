// The methods that learn with networks, as a person meets them.
#include <gtest/gtest.h>

#include "rhc/store/run_record.h"
#include "tests/apps/program.h"
#include "tests/apps/small_run.h"
#include "tests/run_files.h"

namespace rhc {
namespace {

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words small_max() {
  return {"max_members=3", "max_hidden=[8]", "max_updates=40",     "max_actors=2",
          "max_steps=200", "max_warm_up=1",  "max_policy_batch=16"};
}

TEST(Baselines, ExploreAndAreJudgedByTheSameModel) {
  for (const std::string method : {"sac-pe", "sac-ig", "max"}) {
    const TemporaryDirectory dir;
    const Words words =
        with(tiny({"pendulum", "--quiet", "--episodes", "3", "--method", method}), small_max());
    const Outcome outcome = run(words, dir);
    ASSERT_EQ(outcome.code, 0) << method << ": " << outcome.err;
    const RunRecord record = read_run(dir.path() / "r");
    ASSERT_EQ(record.rows.size(), 4u);
    EXPECT_TRUE(record.rows[3].task_cost && record.rows[3].scores) << method;
    EXPECT_TRUE(record.rows[3].information_gained) << method;
    EXPECT_FALSE(record.rows[3].plan_status) << "no open-loop plan";
  }
}

// Features are random in ten episodes, then a network's, which is trained on after the twelfth.
TEST(Baselines, ANetworksFeaturesGoOnAfterAStopAndAreReadByAllCommands) {
  const Words settings = {"pendulum",           "--quiet",
                          "--method",           "rhc-evr",
                          "network_from=1000",  "network_layers=[8,10]",
                          "network_updates=300"};
  const TemporaryDirectory dir;
  ASSERT_EQ(run(tiny(with(settings, {"--episodes", "13", "--out", "whole"})), dir).code, 0);
  const RunRecord whole = read_run(dir.path() / "whole");
  ASSERT_EQ(whole.beliefs.size(), 13u);
  EXPECT_EQ(whole.beliefs[8].network, 0u);
  EXPECT_EQ(whole.beliefs[9].network, 1u);
  EXPECT_EQ(whole.beliefs[11].network, 2u);
  EXPECT_TRUE(whole.beliefs[12].layers) << "they stand with an earlier belief";
  EXPECT_TRUE(whole.rows[12].plan_status && whole.rows[12].scores);

  ASSERT_EQ(run(tiny(with(settings, {"--episodes", "9", "--out", "parts"})), dir).code, 0);
  for (const char* episodes : {"10", "11", "13"})
    ASSERT_EQ(run({"resume", "parts", "--episodes", episodes, "--quiet"}, dir).code, 0);
  EXPECT_EQ(difference(lasting_files(dir.path() / "parts"), lasting_files(dir.path() / "whole")),
            "");
  std::filesystem::remove(dir.path() / "parts/checkpoint");
  ASSERT_EQ(run({"resume", "parts", "--repair", "--quiet"}, dir).code, 0);
  EXPECT_EQ(difference(lasting_files(dir.path() / "parts"), lasting_files(dir.path() / "whole")),
            "");

  for (const Words& command : {Words{"inspect", "whole"}, Words{"evaluate", "whole"}}) {
    const Outcome read = run(command, dir);
    EXPECT_EQ(read.code, 0) << command[0] << ": " << read.err;
  }
  if (RHC_WITH_REPORT) {
    const Outcome reported = run({"report", "whole"}, dir);
    EXPECT_EQ(reported.code, 0) << reported.err;
  }
}

TEST(Baselines, LearningThatTurnsToNanStopsTheRunAndLosesNothing) {
  const TemporaryDirectory dir;
  const Outcome failed = run(tiny({"pendulum", "--quiet", "--episodes", "3", "--method", "sac-pe",
                                   "sac_learning_rate=1e30"}),
                             dir);
  EXPECT_EQ(failed.code, 1);
  EXPECT_TRUE(contains(failed.err, "in episode 2, step ")) << failed.err;
  EXPECT_TRUE(contains(failed.err, "rhc resume r")) << failed.err;
  EXPECT_EQ(read_run(dir.path() / "r").rows.size(), 2u) << "episode 1 was learned from";
  const Files before = lasting_files(dir.path() / "r");
  EXPECT_EQ(run({"resume", "r", "--quiet"}, dir).code, 1) << "goes on, and meets the same";
  EXPECT_EQ(difference(lasting_files(dir.path() / "r"), before), "");
  const Outcome inspected = run({"inspect", "r"}, dir);
  EXPECT_TRUE(contains(inspected.out, "failed")) << inspected.out;
}

TEST(Baselines, OtherNetworksThanTheCheckpointsAreRefusedAndBothNamed) {
  const TemporaryDirectory dir;
  ASSERT_EQ(run(tiny({"pendulum", "--quiet", "--episodes", "2", "--method", "sac-ig"}), dir).code,
            0);
  replace_in(dir.path() / "r/config.toml", "sac_hidden = [64, 64]", "sac_hidden = [32]");
  const Outcome refused = run({"resume", "r", "--episodes", "3", "--quiet"}, dir);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "sac_hidden was [64, 64] and is [32]")) << refused.err;
}

TEST(Baselines, ADeviceThatIsNotThereIsRefusedBeforeAnythingIsMade) {
  const TemporaryDirectory dir;
  const Outcome refused = run(tiny({"pendulum", "--method", "sac-ig", "device=cuda"}), dir);
  if (refused.code == 0) return;  // there is one
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "device=cpu works everywhere")) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "r"));
}

}  // namespace
}  // namespace rhc
