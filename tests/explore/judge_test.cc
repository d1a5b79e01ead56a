#include "rhc/explore/judge.h"

#include <gtest/gtest.h>

#include "rhc/explore/learner.h"
#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

Config quick() {
  Config config;
  config.features = 40;
  config.evidence_starts = 4;
  config.test_trajectories = 50;
  config.test_steps = 3;
  config.task_starts = 4;
  config.task_hops = config.limit_hops = 0;
  return config;
}

TEST(Judge, GivesABeliefWithoutDataOnlyAnError) {
  Judge judge(quick(), Pendulum{}, {}, std::nullopt, 1);
  MetricsRow row;
  judge.judge(nullptr, row);
  EXPECT_GT(*row.rmse, 0.5);
  EXPECT_FALSE(row.scores || row.task_cost);
  EXPECT_GT(*row.task_cost_limit, 19343);
}

TEST(Judge, FillsInScoresAndTask) {
  const Config config = quick();
  Learner learner(config, Pendulum{}, 1);
  learner.learn(explore_at_random(Pendulum{}, {}, 2, 3));
  Judge judge(config, Pendulum{}, {}, std::nullopt, 1);
  MetricsRow row;
  judge.judge(learner.belief(), row);
  EXPECT_TRUE(row.scores.has_value());
  EXPECT_EQ(row.rmse, row.scores->rmse);
  EXPECT_GT(*row.task_cost, 19343) << "no plan beats the limit in the true system";
  EXPECT_TRUE(std::isfinite(*row.task_cost_predicted));
}

}  // namespace
}  // namespace rhc
