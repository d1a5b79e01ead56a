#include "rhc/explore/campaign.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/explore/carry_out.h"
#include "rhc/run/explore_run.h"
#include "rhc/system/pendulum.h"
#include "tests/rig.h"
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
  EXPECT_EQ(campaign.ask({.before = standing_at(start, 1)}).forecast->mean.col(0), start);
  EXPECT_EQ(campaign.ask().forecast->mean.col(0), system.observe(system.spec().start));
}

// What a person gets who hands in the first half is what a run does that looks after it.
TEST(Campaign, PlansTheRestAsARunDoesThatLooks) {
  const System system = Pendulum{};
  Config config = tiny_config();
  const Index horizon = system.spec().horizon, half = horizon / 2;
  config.plan.replan = static_cast<int>(half);
  for (const bool known : {false, true}) {
    Campaign looking(config, system, 1), told(config, system, 1);
    const Trajectory other = open_loop(system, Matrix::Random(1, horizon));
    if (known)
      for (Campaign* campaign : {&looking, &told}) campaign->tell(other);
    const Proposal asked = looking.ask();
    SimulatedPlant plant(system, {}, RandomStream(1, "plant"));
    const Trajectory seen =
        carry_out([&](const Vector& now, int t) { return looking.act(asked, now, t); }, plant,
                  system.spec(), asked.episode, {});
    ASSERT_EQ(seen.steps(), horizon);
    const auto episode = told.plan_rest(
        told.ask(), {seen.observations.leftCols(half + 1), seen.actions.leftCols(half)}, {});
    ASSERT_TRUE(episode);
    EXPECT_EQ(episode->proposal.actions, seen.actions);
    EXPECT_EQ(episode->rest.actions, seen.actions.rightCols(half));
    EXPECT_EQ(episode->rest.mean.cols(), half + 1);
    EXPECT_EQ(episode->proposal.information.has_value(), known);
    if (!known) continue;
    EXPECT_EQ(episode->proposal.forecast->mean.leftCols(half + 1),
              asked.forecast->mean.leftCols(half + 1));
    EXPECT_EQ(episode->proposal.forecast->deviation.rightCols(half),
              episode->rest.deviation.rightCols(half));
    EXPECT_EQ(told.learner().transitions(), horizon) << "nothing was learned for good";
  }
}

TEST(Campaign, PlansNoRestByAMethodThatDoesNotPlan) {
  const System system = Pendulum{};
  Config config = tiny_config();
  config.method = "random";
  Campaign campaign(config, system, 1);
  const Proposal asked = campaign.ask();
  const Trajectory seen = open_loop(system, asked.actions.leftCols(5));
  EXPECT_THROW(campaign.plan_rest(asked, seen, {}), InputError);
}

// A pendulum whose speed is not seen: where it goes next depends on where it was before.
TEST(Campaign, PlansAfterAPast) {
  const System system = rig(R"(name = "rig"
time_step = 0.08
horizon = 30
history = 2
observation = [{ name = "theta", unit = "rad", angle = true, start = 3.14159265358979312 }]
action = [{ name = "torque", unit = "N m", bounds = [-1, 1] }]
)")
                            .system;
  Campaign campaign(tiny_config("rig"), system, 1);
  // It keeps moving: pushed to and fro.
  Matrix pushes(1, 30);
  for (Index t = 0; t < 30; ++t) pushes(0, t) = t / 6 % 2 == 0 ? 1 : -0.8;
  Trajectory seen = open_loop(Pendulum{}, pushes);
  seen.observations.conservativeResize(2, 31);
  campaign.tell(seen);
  const Trajectory before{seen.observations.leftCols(11), seen.actions.leftCols(10)};
  const Trajectory still = standing_at(seen.observations.col(10), 1);
  const Proposal moving = campaign.ask({.before = before});
  EXPECT_EQ(moving.actions.cols(), 30) << "a past is no part of the episode";
  EXPECT_EQ(moving.start, seen.observations.col(10));
  // With the action that was done next, what was seen next is expected after the past alone.
  const auto error = [&](const Trajectory& past) {
    const Forecast next = forecast_from(*campaign.model(), past, seen.actions.middleCols(10, 1));
    return (next.mean.col(1) - seen.observations.col(11)).norm();
  };
  EXPECT_LT(error(before), 0.3 * error(still));
  const Proposal resting = campaign.ask({.before = still});
  EXPECT_EQ(moving.forecast->mean.col(0), resting.forecast->mean.col(0));
  EXPECT_NE(moving.forecast->mean.col(1), resting.forecast->mean.col(1));
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
