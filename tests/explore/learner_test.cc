#include "rhc/explore/learner.h"

#include <gtest/gtest.h>

#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

Config config_with(int refit, bool redraw = false) {
  Config config;
  config.features = 30;
  config.evidence_starts = 4;
  config.refit = refit;
  config.redraw_features = redraw;
  return config;
}

Transitions episode(std::uint64_t seed) { return explore_at_random(Pendulum{}, {}, 1, seed); }

TEST(Learner, HasNoBeliefBeforeData) {
  Learner learner(config_with(1), Pendulum{}, 1);
  EXPECT_EQ(learner.belief(), nullptr);
  learner.learn({Matrix(4, 0), Matrix(3, 0)});
  EXPECT_EQ(learner.belief(), nullptr) << "an episode without a usable transition teaches nothing";
}

TEST(Learner, NeverRefittingKeepsTheFirstHyperparameters) {
  Learner learner(config_with(0), Pendulum{}, 1);
  learner.learn(episode(1));
  const Vector first = learner.belief()->features.bandwidth;
  EXPECT_TRUE(learner.log_evidence().has_value());
  learner.learn(episode(2));
  EXPECT_EQ(learner.belief()->features.bandwidth, first);
  EXPECT_EQ(learner.belief()->count, 200);
  EXPECT_FALSE(learner.log_evidence().has_value());
}

TEST(Learner, RefitsEveryFewEpisodes) {
  Learner learner(config_with(2), Pendulum{}, 1);
  learner.learn(episode(1));
  const Vector first = learner.belief()->features.bandwidth;
  learner.learn(episode(2));
  EXPECT_EQ(learner.belief()->features.bandwidth, first);
  learner.learn(episode(3));
  EXPECT_NE(learner.belief()->features.bandwidth, first);
}

TEST(Learner, UpdatingIsTheSameAsLearningAllAtOnce) {
  Learner learner(config_with(0), Pendulum{}, 1);
  learner.learn(episode(1));
  BayesianLinearModel whole(*learner.belief());
  learner.learn(episode(2));
  whole.learn(episode(2));
  EXPECT_LT((learner.belief()->weights - whole.weights).norm(), 1e-9 * whole.weights.norm());
}

TEST(Learner, DrawsNewFeaturesAtEveryFitWhenAsked) {
  Learner kept(config_with(1), Pendulum{}, 1), redrawn(config_with(1, true), Pendulum{}, 1);
  kept.learn(episode(1));
  redrawn.learn(episode(1));
  const Matrix first = kept.belief()->features.P, other = redrawn.belief()->features.P;
  kept.learn(episode(2));
  redrawn.learn(episode(2));
  EXPECT_EQ(kept.belief()->features.P, first);
  EXPECT_NE(redrawn.belief()->features.P, other);
}

}  // namespace
}  // namespace rhc
