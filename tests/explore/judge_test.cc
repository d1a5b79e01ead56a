#include "rhc/explore/judge.h"

#include <gtest/gtest.h>

#include "rhc/explore/learner.h"
#include "rhc/run/yardsticks.h"
#include "rhc/store/archive.h"
#include "rhc/store/metrics.h"
#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

Config quick_to_judge() {
  Config config;
  config.model.features = 40;
  config.model.evidence_starts = 4;
  config.judge.test_trajectories = 50;
  config.judge.test_steps = 3;
  config.judge.task_starts = 4;
  config.judge.task_hops = config.judge.limit_hops = config.judge.task_draws = 0;
  return config;
}

TEST(Judge, GivesABeliefWithoutDataOnlyAnError) {
  Yardsticks yardsticks;
  Judge judge = yardsticks.judge(quick_to_judge(), Pendulum{}, {}, 1);
  MetricsRow row;
  judge.judge(nullptr, row);
  EXPECT_GT(*row.rmse, 0.5);
  EXPECT_FALSE(row.scores || row.task_cost);
  EXPECT_GT(*row.task_cost_limit, 19343);
}

TEST(Judge, FillsInScoresAndTask) {
  const Config config = quick_to_judge();
  Learner learner(config, Pendulum{}, 1);
  learner.learn(explore_at_random(Pendulum{}, {}, 2, 3));
  Yardsticks yardsticks;
  Judge judge = yardsticks.judge(config, Pendulum{}, {}, 1);
  MetricsRow row;
  judge.judge(learner.model(), row);
  EXPECT_TRUE(row.scores.has_value());
  EXPECT_EQ(row.rmse, row.scores->rmse);
  EXPECT_GT(*row.task_cost, 19343) << "no plan beats the limit in the true system";
  EXPECT_TRUE(std::isfinite(*row.task_cost_predicted));
}

TEST(Judge, GoesOnAsIfItHadNeverBeenStopped) {
  const Config config = quick_to_judge();
  Learner learner(config, Pendulum{}, 1);
  Yardsticks yardsticks;
  Judge whole = yardsticks.judge(config, Pendulum{}, {}, 1);
  MetricsRow before;
  whole.judge(nullptr, before);
  for (const std::uint64_t episode : {1u, 2u, 3u}) {
    NamedValues archive;
    whole.save(archive);
    Judge other = yardsticks.judge(config, Pendulum{},
                                   {before.task_cost_limit, before.task_cost_closed_limit}, 1);
    other.restore(parse_archive(archive_bytes(archive), "checkpoint"));
    learner.learn(explore_at_random(Pendulum{}, {}, 1, episode));
    MetricsRow row, again;
    whole.judge(learner.model(), row);
    other.judge(learner.model(), again);
    EXPECT_EQ(metrics_json(again), metrics_json(row)) << "episode " << episode;
    EXPECT_EQ(other.task_solution()->observations, whole.task_solution()->observations);
    EXPECT_EQ(other.task_solution()->actions, whole.task_solution()->actions);
  }
}

TEST(Judge, DoesNotSearchALimitThatIsKnown) {
  Yardsticks yardsticks;
  Judge judge = yardsticks.judge(quick_to_judge(), Pendulum{}, {123.5, 124.5}, 1);
  MetricsRow row;
  judge.judge(nullptr, row);
  EXPECT_EQ(row.task_cost_limit, 123.5);
  EXPECT_EQ(row.task_cost_closed_limit, 124.5);
}

}  // namespace
}  // namespace rhc
