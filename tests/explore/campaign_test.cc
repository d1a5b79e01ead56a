#include "rhc/explore/campaign.h"

#include <gtest/gtest.h>

#include "rhc/explore/experiment.h"
#include "rhc/system/pendulum.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

TEST(Campaign, AsksWhatARunDoes) {
  for (const char* method : {"rhc-evr", "random"}) {
    const TemporaryDirectory dir;
    const System system = Pendulum{};
    Config config = tiny_config();
    config.method = method;
    config.episodes = 3;
    RunDirectory run(dir.path() / "r", config);
    run_experiment(system, run, 1, {});
    const RunRecord record = read_run(dir.path() / "r");
    Campaign campaign(config, system, 1);
    for (const auto& episode : record.episodes) {
      EXPECT_EQ(campaign.ask().actions, episode->actions) << method;
      campaign.tell(*episode);
    }
    EXPECT_EQ(campaign.told(), 3);
  }
}

TEST(Campaign, GivesTheSameAnswerUntilSomethingIsTold) {
  const System system = Pendulum{};
  Campaign campaign(tiny_config(), system, 1);
  const Matrix first = campaign.ask().actions;
  EXPECT_EQ(campaign.ask().actions, first);
  campaign.tell({Matrix::Random(3, 21), Matrix::Random(1, 20)});
  const Matrix second = campaign.ask().actions;
  EXPECT_NE(second, first);
  EXPECT_EQ(campaign.ask().experiment, 2);
  EXPECT_EQ(campaign.ask().actions, second);
  EXPECT_TRUE(campaign.ask().forecast);
  EXPECT_GT(campaign.ask().information.value(), 0);
}

TEST(Campaign, PlansFromWhereItIsTold) {
  const System system = Pendulum{};
  Campaign campaign(tiny_config(), system, 1);
  campaign.tell({Matrix::Random(3, 21), Matrix::Random(1, 20)});
  const Vector start = Eigen::Vector3d(1, 0, 2);
  EXPECT_EQ(campaign.ask(start).forecast->mean.col(0), start);
  EXPECT_EQ(campaign.ask().forecast->mean.col(0), system.observe(system.spec().start));
}

}  // namespace
}  // namespace rhc
