#include "rhc/explore/replanning.h"

#include <gtest/gtest.h>

#include "rhc/explore/campaign.h"
#include "rhc/explore/carry_out.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

// Episodes of the pendulum, each planned anew every so many steps.
struct Explored {
  std::vector<MetricsRow> rows;
  std::vector<Trajectory> seen;
  std::vector<std::optional<Forecast>> announced;
};

Explored explored_with(int replan, int episodes, double noise = 0) {
  Config config = small_config("pendulum", episodes);
  config.plan.replan = replan;
  if (noise > 0) config.noise.observation = {noise};
  const System system = make_system("pendulum");
  Campaign campaign(config, system, 1);
  Explored result;
  for (int episode = 1; episode <= episodes; ++episode) {
    const Proposal proposal = campaign.propose(episode, {});
    SimulatedPlant plant(system, noise_levels(config, system.spec()),
                         RandomStream(1, "plant", static_cast<std::uint64_t>(episode)));
    const Policy policy = [&](const Vector& seen, int t) {
      return campaign.act(proposal, seen, t);
    };
    result.seen.push_back(carry_out(policy, plant, system.spec(), episode, {}));
    result.announced.push_back(campaign.announced_on_the_way());
    result.rows.push_back(campaign.learn(proposal, result.seen.back()));
  }
  return result;
}

TEST(Replanning, NeverHappensWhereTheEpisodeIsOverBefore) {
  const Explored never = explored_with(0, 2), late = explored_with(100, 2);
  for (std::size_t e = 0; e < 2; ++e) {
    EXPECT_EQ(never.seen[e].actions, late.seen[e].actions);
    EXPECT_EQ(never.rows[e].information_gained, late.rows[e].information_gained);
  }
  ASSERT_TRUE(late.rows[1].information_planned);
  EXPECT_NEAR(*late.rows[1].information_planned, *never.rows[1].information_planned,
              1e-6 * *never.rows[1].information_planned);
}

// In the first episode the actions are those of an unplanned one until it is looked at.
TEST(Replanning, BeginsAsEpisodesDoAndThenGoesItsOwnWay) {
  const Explored never = explored_with(0, 1), often = explored_with(25, 1);
  EXPECT_EQ(never.seen[0].actions.leftCols(25), often.seen[0].actions.leftCols(25));
  EXPECT_NE(never.seen[0].actions, often.seen[0].actions);
  EXPECT_FALSE(often.announced[0]) << "nothing was known of the first steps";
}

// What a plan promises for the next steps, from where the system is, it keeps.
TEST(Replanning, PromisesWhatIsGained) {
  const Explored often = explored_with(20, 3);
  for (std::size_t e = 1; e < 3; ++e) {
    ASSERT_TRUE(often.rows[e].information_planned && often.rows[e].information_gained);
    EXPECT_NEAR(*often.rows[e].information_planned / *often.rows[e].information_gained, 1, 0.2);
  }
}

TEST(Replanning, AnnouncesEveryStepByThePlanItBelongsTo) {
  const Explored often = explored_with(20, 3, 0.01);
  ASSERT_TRUE(often.announced[2]);
  const Forecast& announced = *often.announced[2];
  const Trajectory& seen = often.seen[2];
  EXPECT_EQ(announced.actions, seen.actions);
  Index inside = 0;
  for (Index t = 1; t <= seen.steps(); ++t)
    for (Index i = 0; i < 3; ++i)
      inside += std::abs(seen.observations(i, t) - announced.mean(i, t)) <=
                1.96 * announced.deviation(i, t);
  EXPECT_GT(inside, 3 * seen.steps() * 8 / 10);
}

TEST(Replanning, IsTheSameEveryTime) {
  const Explored once = explored_with(30, 2, 0.01), again = explored_with(30, 2, 0.01);
  for (std::size_t e = 0; e < 2; ++e) EXPECT_EQ(once.seen[e].actions, again.seen[e].actions);
}

}  // namespace
}  // namespace rhc
