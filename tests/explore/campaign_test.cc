#include "rhc/explore/campaign.h"

#include <gtest/gtest.h>

#include "rhc/run/explore_run.h"
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
    explore_run(system, run, 1, {});
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
  EXPECT_EQ(campaign.ask().episode, 2);
  EXPECT_EQ(campaign.ask().actions, second);
  EXPECT_TRUE(campaign.ask().forecast);
  EXPECT_GT(campaign.ask().information.value(), 0);
}

TEST(Campaign, PlansFromWhereItIsTold) {
  const System system = Pendulum{};
  Campaign campaign(tiny_config(), system, 1);
  campaign.tell({Matrix::Random(3, 21), Matrix::Random(1, 20)});
  const Vector start = Eigen::Vector3d(1, 0, 2);
  EXPECT_EQ(campaign.ask({.start = start}).forecast->mean.col(0), start);
  EXPECT_EQ(campaign.ask().forecast->mean.col(0), system.observe(system.spec().start));
}

TEST(Campaign, PlansAnewWhereAnotherMarginIsWanted) {
  const System system = Pendulum{};
  Campaign campaign(tiny_config(), system, 1);
  campaign.tell({Matrix::Random(3, 21), Matrix::Random(1, 20)});
  EXPECT_EQ(campaign.ask().sigmas, 0);
  EXPECT_EQ(campaign.ask({.sigmas = 3}).sigmas, 3);
}

TEST(Campaign, ProposingChangesNothing) {
  const System system = Pendulum{};
  Campaign campaign(tiny_config(), system, 1);
  campaign.tell({Matrix::Random(3, 21), Matrix::Random(1, 20)});
  const NamedValues before = campaign.save();
  campaign.propose(2, {});
  campaign.propose(3, {}, {campaign.propose(2, {})});
  EXPECT_EQ(campaign.save().matrices, before.matrices);
}

TEST(Campaign, ThatReplaysLearnsTheSame) {
  const System system = Pendulum{};
  Campaign explores(tiny_config(), system, 1);
  Campaign replays(tiny_config(), system, 1, Campaign::Role::replays);
  for (int i = 0; i < 2; ++i) {
    const Trajectory seen{Matrix::Random(3, 21), Matrix::Random(1, 20)};
    const MetricsRow row = explores.tell(seen), again = replays.tell(seen);
    EXPECT_EQ(again.evidence, row.evidence);
    EXPECT_EQ(again.information_gained, row.information_gained);
  }
}

}  // namespace
}  // namespace rhc
