#include "rhc/explore/learned_limits.h"

#include <gtest/gtest.h>

#include "rhc/explore/campaign.h"
#include "rhc/system/pendulum.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

// Two observations, one row each, with an action of nothing.
Trajectory seen_as(const std::vector<double>& x, const std::vector<double>& v, bool ended) {
  const auto n = static_cast<Index>(x.size());
  Trajectory seen{Matrix(2, n), Matrix::Zero(1, n - 1), ended};
  seen.observations.row(0) = Eigen::Map<const Vector>(x.data(), n).transpose();
  seen.observations.row(1) = Eigen::Map<const Vector>(v.data(), n).transpose();
  return seen;
}

LearnedLimits learned_from(const std::vector<Trajectory>& episodes) {
  EndsSeen ends;
  for (const Trajectory& episode : episodes) note_episode(episode, Box::unbounded(2), ends);
  return learned_limits(ends);
}

SystemSpec two_observations() {
  SystemSpec spec;
  spec.observation = {{"x", "m"}, {"v", ""}};
  return spec;
}

TEST(LearnedLimits, AreNoneWhereNoEpisodeWasEnded) {
  const LearnedLimits learned = learned_from({seen_as({0, 1, 2}, {0, 5, 9}, false)});
  EXPECT_FALSE(learned.any());
  EXPECT_EQ(in_words(learned, two_observations()), "");
}

TEST(LearnedLimits, AreHalfWayBetweenWhatWasSurvivedAndTheEnd) {
  const LearnedLimits learned =
      learned_from({seen_as({0, 1, 3}, {0, -4, 2}, true), seen_as({0, 0}, {0, 4}, false)});
  ASSERT_TRUE(learned.any());
  EXPECT_EQ(learned.limits.upper[0], 2);
  EXPECT_EQ(learned.limits.lower[0], -kInfinity);
  EXPECT_EQ(learned.limits.upper[1], kInfinity) << "it was survived there";
  EXPECT_EQ(in_words(learned, two_observations()), "x <= 2 m");
}

// Both observations explain one end; x by more of its spread.
TEST(LearnedLimits, AreOfTheObservationThatTellsTheEndApartByTheMost) {
  const LearnedLimits learned = learned_from({seen_as({0, 1, 5}, {0, 90, 100}, true)});
  EXPECT_EQ(learned.limits.upper[0], 3);
  EXPECT_EQ(learned.limits.upper[1], kInfinity);
}

TEST(LearnedLimits, AreOfTheObservationThatExplainsTheMostEnds) {
  // v is beyond what was survived in the first end only, and by more of its spread than x.
  const LearnedLimits learned = learned_from(
      {seen_as({0, 1, 1.1}, {0, 1, 90}, true), seen_as({0, -1, -1.3}, {0, 1, 1}, true)});
  EXPECT_DOUBLE_EQ(learned.limits.upper[0], 1.05);
  EXPECT_DOUBLE_EQ(learned.limits.lower[0], -1.15) << "both sides of one observation explain both";
  EXPECT_EQ(learned.limits.upper[1], kInfinity);
  EXPECT_EQ(learned.explained, 2U);
}

TEST(LearnedLimits, AreSeveralWhereOneDoesNotExplainAllEnds) {
  const LearnedLimits learned =
      learned_from({seen_as({0, 1, 0}, {0, 1, 7}, true), seen_as({0, 1, 5}, {0, 1, 0}, true)});
  EXPECT_EQ(learned.limits.upper[0], 3);
  EXPECT_EQ(learned.limits.upper[1], 4);
}

TEST(LearnedLimits, ExplainNoEndWhereOthersWentOn) {
  const LearnedLimits learned =
      learned_from({seen_as({0, 1, 0.5}, {0, 1, 0.5}, true), seen_as({0, 2}, {0, 2}, false)});
  EXPECT_FALSE(learned.any());
  EXPECT_EQ(learned.ends, 1U);
  EXPECT_EQ(learned.explained, 0U);
}

TEST(LearnedLimits, MoveOutwardsAndAreDroppedWhereALaterEpisodeGoesOnBeyond) {
  std::vector<Trajectory> episodes = {seen_as({0, 1, 3}, {0, 0, 0}, true)};
  EXPECT_EQ(learned_from(episodes).limits.upper[0], 2);
  episodes.push_back(seen_as({0, 2.5}, {0, 0}, false));
  EXPECT_EQ(learned_from(episodes).limits.upper[0], 2.75);
  episodes.push_back(seen_as({0, 3.5}, {0, 0}, false));
  EXPECT_FALSE(learned_from(episodes).any());
}

TEST(LearnedLimits, NeedNoEndOutsideTheDescribedOnes) {
  EndsSeen ends;
  note_episode(seen_as({0, 1, 3}, {0, 0, 0}, true),
               {Vector::Constant(2, -2), Vector::Constant(2, 2)}, ends);
  EXPECT_EQ(learned_limits(ends).ends, 0U);
}

TEST(LearnedLimits, ToldOfAnEndAndOfWhatWentOnBeyond) {
  const SystemSpec spec = two_observations();
  const Trajectory fell = seen_as({0, 1, 3}, {0, 0, 0}, true),
                   farther = seen_as({0, 2.5}, {0, 0}, false),
                   past = seen_as({0, 3.5}, {0, 0}, false);
  const LearnedLimits none, one = learned_from({fell}), moved = learned_from({fell, farther}),
                            dropped = learned_from({fell, farther, past});
  EXPECT_EQ(told_of_end(fell, none, one, spec), "the plant ended it; plans stay where x <= 2 m");
  EXPECT_EQ(told_of_end(farther, one, moved, spec),
            "it went on beyond a limit that was learned; plans stay where x <= 2.75 m");
  EXPECT_EQ(told_of_end(past, moved, dropped, spec),
            "it went on beyond a limit that was learned, which is dropped");
  EXPECT_EQ(told_of_end(seen_as({0, 1}, {0, 0}, false), one, one, spec), "");
  const Trajectory amid = seen_as({0, 1, 0.5}, {0, 1, 0.5}, true);
  EXPECT_EQ(told_of_end(amid, none, learned_from({past, farther, amid}), spec),
            "the plant ended it where others went on, so no limit is learned from that");
}

TEST(Narrowed, KeepsItsMarginButNeverWithoutTheStart) {
  const LearnedLimits learned =
      learned_from({seen_as({0, 1, 3}, {0, 0, 0}, true), seen_as({0, -1, -3}, {0, 0, 0}, true)});
  const Box described{Vector::Constant(2, -10), Vector::Constant(2, 1)};
  const Box box = narrowed(described, learned, Vector::Zero(2), 0.1);
  EXPECT_DOUBLE_EQ(box.lower[0], -2 + 0.4);
  EXPECT_EQ(box.upper[0], 1) << "the described limit is nearer";
  EXPECT_EQ(box.lower[1], -10);
  EXPECT_EQ(narrowed(described, learned, Vector::Constant(2, -5), 0.1).lower[0], -5);
  EXPECT_EQ(narrowed(described, {}, Vector::Constant(2, -5), 0.1).lower, described.lower);
}

TEST(NarrowedForTask, LetsThePlanReachItsTarget) {
  const LearnedLimits learned = learned_from({seen_as({0, 1, 3}, {0, 0, 0}, true)});
  SystemSpec spec = two_observations();
  spec.limits = Box::unbounded(2);
  spec.task.target = Eigen::Vector2d(2.5, 0);
  spec.task.weight = Eigen::Vector2d(0, 1);
  EXPECT_EQ(narrowed_for_task(spec, learned, Vector::Zero(2)).upper[0], 2);
  spec.task.weight = Eigen::Vector2d(1, 1);
  EXPECT_EQ(narrowed_for_task(spec, learned, Vector::Zero(2)).upper[0], 2.5);
  spec.limits.upper[0] = 2.25;
  EXPECT_EQ(narrowed_for_task(spec, learned, Vector::Zero(2)).upper[0], 2.25);
}

TEST(StepsBeforeEnd, AreThoseThatAreLikelierInsideThanNot) {
  const LearnedLimits learned = learned_from({seen_as({0, 1, 3}, {0, 0, 0}, true)});
  Forecast forecast{Matrix::Zero(2, 5), Matrix::Constant(2, 5, 0.5), Matrix::Zero(1, 4)};
  EXPECT_EQ(steps_before_end(forecast, learned), 4);
  forecast.mean(0, 3) = 1.9;
  EXPECT_EQ(steps_before_end(forecast, learned), 4);
  forecast.mean(0, 3) = 2.1;
  EXPECT_EQ(steps_before_end(forecast, learned), 3);
  EXPECT_EQ(steps_before_end(forecast, {}), 4);
}

// A pendulum whose machine ends an episode where it turns faster than this.
Trajectory until_too_fast(const Proposal& proposal, double fastest) {
  const System system = make_system("pendulum");
  SimulatedPlant plant(system, {}, RandomStream(1, "plant"));
  Trajectory seen{Matrix(3, 1), Matrix(1, 0)};
  seen.observations.col(0) = plant.reset(system.spec().start);
  for (Index t = 0; t < proposal.actions.cols() && !seen.ended; ++t) {
    seen.observations.conservativeResize(3, t + 2);
    seen.actions.conservativeResize(1, t + 1);
    seen.actions.col(t) = proposal.actions.col(t);
    seen.observations.col(t + 1) = plant.step(proposal.actions.col(t));
    seen.ended = std::abs(seen.observations(2, t + 1)) > fastest;
  }
  return seen;
}

TEST(CampaignWithEnds, PlansStayInsideTheLimitThatEndsTaught) {
  const Config config = small_config("pendulum", 4);
  Campaign campaign(config, make_system("pendulum"), 1);
  Config blind_config = config;
  blind_config.plan.learn_limits = false;
  Campaign blind(blind_config, make_system("pendulum"), 1);
  for (int episode = 1; episode <= 3; ++episode) {
    const Trajectory seen = until_too_fast(campaign.ask(), 3);
    campaign.tell(seen);
    blind.tell(seen);
  }
  ASSERT_TRUE(campaign.limits().any());
  EXPECT_FALSE(blind.limits().any());
  const Proposal next = campaign.ask();
  const double fastest = next.forecast->mean.row(2).cwiseAbs().maxCoeff();
  const double fastest_blind = blind.ask().forecast->mean.row(2).cwiseAbs().maxCoeff();
  EXPECT_LE(fastest, 3.3);
  EXPECT_GT(fastest_blind, 3.3);
}

}  // namespace
}  // namespace rhc
