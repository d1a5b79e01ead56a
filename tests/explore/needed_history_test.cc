#include "rhc/explore/needed_history.h"

#include <gtest/gtest.h>

#include "tests/explore/test_machine.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

std::optional<NeededHistory> needed_by(const TestMachine& machine, int episodes, int described = 1,
                                       std::uint64_t seed = 1) {
  SystemSpec spec = machine.spec();
  spec.history = described;
  if (episodes == 1) return needed_history({machine.episode(seed, 120)}, spec);
  return needed_history(machine.episodes(episodes, seed), spec);
}

TEST(NeededHistory, IsThatOfTheActionThatActsLate) {
  for (const int late : {1, 3, 5}) {
    const auto needed = needed_by({.late = late}, 2);
    ASSERT_TRUE(needed) << late;
    EXPECT_EQ(needed->late, (std::vector<int>{late, 0}));
    EXPECT_EQ(needed->history, late + 1);
    EXPECT_EQ(needed->moments, 1);
    EXPECT_LT(needed->error, 0.5 * needed->error_now);
  }
}

TEST(NeededHistory, IsFoundInOneEpisode) {
  const auto needed = needed_by({.late = 2}, 1);
  ASSERT_TRUE(needed);
  EXPECT_EQ(needed->late[0], 2);
}

TEST(NeededHistory, IsMoreThanOneMomentWhereASpeedIsNotMeasured) {
  const auto needed = needed_by({.sees_speed = false}, 2);
  ASSERT_TRUE(needed);
  EXPECT_EQ(needed->moments, 2);
  EXPECT_EQ(needed->late, (std::vector<int>{0, 0}));
  EXPECT_EQ(needed->history, 2);
}

// Of which an action that acts late explains a part.
TEST(NeededHistory, DoesNotTakeAHiddenSpeedForADelay) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const int episodes : {1, 2, 4}) {
      const auto needed = needed_by({.sees_speed = false}, episodes, 1, seed);
      EXPECT_TRUE(!needed || needed->moments > 1) << seed << " " << episodes;
    }
}

TEST(NeededHistory, IsNoneWhereWhatIsDescribedIsEnough) {
  EXPECT_FALSE(needed_by({.late = 2}, 2, 3));
  EXPECT_FALSE(needed_by({.sees_speed = false}, 2, 3));
}

TEST(NeededHistory, IsLongerWhereWhatIsDescribedIsTooShort) {
  const auto needed = needed_by({.late = 3}, 2, 2);
  ASSERT_TRUE(needed);
  EXPECT_GE(needed->history, 4);
}

// Two readings of a slow quantity are better than one, and no reason for a remark.
TEST(NeededHistory, IsNoneOfHonestMachinesHoweverNoisyTheirSensors) {
  for (const double noise : {0.0, 0.002, 0.02, 0.1, 0.5})
    for (int seed = 1; seed <= repeats(4, 50); ++seed)
      for (const int episodes : {1, 4})
        EXPECT_FALSE(needed_by({.noise = noise}, episodes, 1, static_cast<std::uint64_t>(seed)))
            << noise << " " << seed << " " << episodes;
}

TEST(NeededHistory, IsNoneWhereThereIsTooLittleToTell) {
  EXPECT_FALSE(needed_history({}, TestMachine{}.spec()));
  EXPECT_FALSE(needed_history({TestMachine{.late = 2}.episode(1, 20)}, TestMachine{}.spec()));
  Trajectory still = TestMachine{}.episode(1);
  still.observations.setZero();
  EXPECT_FALSE(needed_history({still, still}, TestMachine{}.spec()));
}

TEST(NeededHistory, IsNoneOfNumbersThatCannotBeSquared) {
  std::vector<Trajectory> episodes = TestMachine{.late = 2}.episodes(2);
  for (Trajectory& episode : episodes) episode.observations *= 1e200;
  EXPECT_FALSE(needed_history(episodes, TestMachine{}.spec()));
}

TEST(NeededHistory, LeavesOutWhatCameBehindALimit) {
  const TestMachine machine{.late = 2};
  SystemSpec spec = machine.spec();
  spec.limits = {Vector::Constant(2, -100), Vector::Constant(2, 100)};
  std::vector<Trajectory> episodes = machine.episodes(3);
  for (Trajectory& episode : episodes) {
    episode.observations.col(70).setConstant(1000);
    episode.observations.rightCols(10).setConstant(-1e6);
  }
  const auto needed = needed_history(episodes, spec);
  ASSERT_TRUE(needed);
  EXPECT_EQ(needed->late[0], 2);
}

}  // namespace
}  // namespace rhc
