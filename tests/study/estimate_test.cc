#include "rhc/study/estimate.h"

#include <gtest/gtest.h>

#include "rhc/explore/explorer.h"
#include "rhc/system/registry.h"

namespace rhc {
namespace {

PlannedRun run_of(const std::string& system, const std::string& method, int episodes = 20) {
  Config config;
  config.system = system;
  config.method = method;
  config.episodes = episodes;
  return {system + "-" + method + "-1", system + "-" + method, config};
}

TEST(Guess, IsPositiveForEveryMethodOnEverySystem) {
  for (const std::string& system : system_names())
    for (const std::string& method : method_names())
      EXPECT_GT(guessed_seconds(run_of(system, method).config), 0) << system << " " << method;
}

TEST(Guess, GrowsWithEpisodesFeaturesAndTheNetworksUpdates) {
  const Config config = run_of("pendulum", "rhc-evr").config;
  Config longer = config, wider = config, sac = config, more;
  longer.episodes *= 2;
  wider.model.features = 10 * features_for(config, make_system("pendulum").spec());
  sac.method = "sac-pe";
  more = sac;
  more.sac.updates *= 4;
  EXPECT_GT(guessed_seconds(longer), guessed_seconds(config));
  EXPECT_GT(guessed_seconds(wider), guessed_seconds(config));
  EXPECT_GT(guessed_seconds(more), guessed_seconds(sac));
}

TEST(Guess, IsLessWithoutEvaluation) {
  Config with = run_of("pendulum", "random").config, without = with;
  without.judge.task = false;
  without.judge.test_trajectories = 0;
  EXPECT_LT(guessed_seconds(without), guessed_seconds(with));
}

TEST(Estimate, IsTheGuessBeforeAnyRunIsDone) {
  const PlannedRun run = run_of("pendulum", "rhc-evr");
  EXPECT_EQ(Estimate().seconds_of(run), guessed_seconds(run.config));
}

TEST(Estimate, IsTheMeanOfTheRunsOfItsGroup) {
  Estimate estimate;
  const PlannedRun run = run_of("pendulum", "rhc-evr");
  estimate.learn(run, 10);
  EXPECT_DOUBLE_EQ(estimate.seconds_of(run), 10);
  estimate.learn(run, 20);
  EXPECT_DOUBLE_EQ(estimate.seconds_of(run), 15);
}

TEST(Estimate, OfOtherGroupsIsTheGuessInProportionToHowGuessesWent) {
  Estimate estimate;
  const PlannedRun known = run_of("pendulum", "rhc-evr"), other = run_of("cartpole", "random");
  estimate.learn(known, 3 * guessed_seconds(known.config));
  EXPECT_DOUBLE_EQ(estimate.seconds_of(other), 3 * guessed_seconds(other.config));
}

TEST(Estimate, OfAGroupIsNotChangedByOthers) {
  Estimate estimate;
  const PlannedRun known = run_of("pendulum", "rhc-evr");
  estimate.learn(known, 10);
  estimate.learn(run_of("cartpole", "random"), 5000);
  EXPECT_DOUBLE_EQ(estimate.seconds_of(known), 10);
}

TEST(Estimate, SurvivesRunsThatTookNoTime) {
  Estimate estimate;
  estimate.learn(run_of("pendulum", "rhc-evr"), 0);
  EXPECT_EQ(estimate.seconds_of(run_of("cartpole", "random")), 0);
}

}  // namespace
}  // namespace rhc
