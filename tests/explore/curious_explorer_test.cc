#include "rhc/explore/curious_explorer.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/evaluate/information.h"
#include "rhc/explore/learner.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

BayesianLinearModel belief_after(const System& system, int episodes, std::uint64_t seed) {
  Config config;
  config.features = 50;
  config.evidence_starts = 4;
  config.seed = seed;
  Learner learner(config, system, 1);
  learner.learn(explore_at_random(system, {}, episodes, seed));
  return *learner.belief();
}

CuriousSettings settings_for(const std::string& objective) {
  CuriousSettings settings{.objective = objective};
  settings.planner.starts = 4;
  return settings;
}

Matrix acts(Explorer& explorer, const SystemSpec& spec) {
  Matrix actions(static_cast<Index>(spec.action.size()), spec.horizon);
  for (int t = 0; t < spec.horizon; ++t)
    actions.col(t) = explorer.act(Vector::Zero(spec.outputs()), t);
  return actions;
}

TEST(CuriousExplorer, PushesHardInAnEpisodeWithoutData) {
  CuriousExplorer explorer(Pendulum{}, settings_for("evr"));
  explorer.begin_episode(1, nullptr);
  EXPECT_EQ(explorer.plan(), nullptr);
  const Matrix actions = acts(explorer, Pendulum{}.spec());
  EXPECT_TRUE((actions.array().abs() == 1).all());
  EXPECT_TRUE((actions.array() == 1).any() && (actions.array() == -1).any());
}

TEST(CuriousExplorer, CarriesOutItsPlan) {
  const BayesianLinearModel belief = belief_after(Pendulum{}, 1, 2);
  for (const char* objective : {"us", "info", "evr"}) {
    CuriousExplorer explorer(Pendulum{}, settings_for(objective));
    explorer.begin_episode(1, nullptr);
    explorer.begin_episode(2, &belief);
    ASSERT_NE(explorer.plan(), nullptr);
    EXPECT_EQ(acts(explorer, Pendulum{}.spec()), explorer.plan()->actions);
    EXPECT_EQ(explorer.plan()->defect, 0);
  }
}

TEST(CuriousExplorer, TheEntropyOfItsPlanIsTheInformationItPromises) {
  const BayesianLinearModel belief = belief_after(Pendulum{}, 1, 3);
  CuriousExplorer explorer(Pendulum{}, settings_for("evr"));
  explorer.begin_episode(1, nullptr);
  explorer.begin_episode(2, &belief);
  const Plan& plan = *explorer.plan();
  Matrix inputs(4, 100);
  inputs << plan.states.leftCols(100), plan.actions;
  EXPECT_NEAR(information(belief, inputs), plan.objective, 1e-6 * plan.objective);
}

TEST(CuriousExplorer, StaysOnTheCircleAndInsideTheLimits) {
  const SystemSpec spec = Cartpole{}.spec();
  const BayesianLinearModel belief = belief_after(Cartpole{}, 2, 4);
  CuriousExplorer explorer(Cartpole{}, settings_for("evr"));
  explorer.begin_episode(1, nullptr);
  explorer.begin_episode(2, &belief);
  const Plan& plan = *explorer.plan();
  for (Index t = 0; t <= spec.horizon; ++t) {
    EXPECT_NEAR(plan.states.col(t).segment(1, 2).norm(), 1, 1e-12);
    EXPECT_TRUE(spec.limits.contains(plan.states.col(t))) << t;
  }
}

TEST(LimitsWithMargin, LeavesTheStartInside) {
  SystemSpec spec = Cartpole{}.spec();
  Vector start = Cartpole{}.observe(spec.start);
  const Box bounds = limits_with_margin(spec, start, 0.05);
  EXPECT_NEAR(bounds.upper[0], 1.8 - 0.05 * 3.6, 1e-12);
  EXPECT_EQ(bounds.upper[1], kInfinity);
  start[0] = 1.79;
  EXPECT_TRUE(limits_with_margin(spec, start, 0.05).contains(start));
}

TEST(CuriousExplorer, GoesOnAsIfItHadNeverBeenStopped) {
  for (const char* objective : {"us", "info", "evr"}) {
    CuriousExplorer whole(Pendulum{}, settings_for(objective));
    whole.begin_episode(1, nullptr);
    for (const int episode : {2, 3}) {
      Archive archive;
      whole.save(archive);
      CuriousExplorer other(Pendulum{}, settings_for(objective));
      other.restore(Archive::parse(archive.bytes(), "checkpoint"));
      const BayesianLinearModel belief =
          belief_after(Pendulum{}, episode - 1, static_cast<std::uint64_t>(episode));
      whole.begin_episode(episode, &belief);
      other.begin_episode(episode, &belief);
      EXPECT_EQ(other.plan()->actions, whole.plan()->actions) << objective << episode;
      EXPECT_EQ(other.plan()->states, whole.plan()->states) << objective << episode;
    }
  }
}

TEST(CuriousExplorer, KeepsItsLastPlanAcrossAStop) {
  CuriousExplorer explorer(Pendulum{}, settings_for("evr")), other(Pendulum{}, settings_for("evr"));
  explorer.begin_episode(1, nullptr);
  Archive archive;
  explorer.save(archive);
  other.restore(archive);
  EXPECT_EQ(acts(other, Pendulum{}.spec()), acts(explorer, Pendulum{}.spec()));
}

TEST(CuriousExplorer, ThatHasNotBegunIsRestoredAsOne) {
  const CuriousExplorer fresh(Pendulum{}, settings_for("evr"));
  Archive archive;
  fresh.save(archive);
  CuriousExplorer other(Pendulum{}, settings_for("evr")), never(Pendulum{}, settings_for("evr"));
  other.restore(Archive::parse(archive.bytes(), "checkpoint"));
  other.begin_episode(1, nullptr);
  never.begin_episode(1, nullptr);
  EXPECT_EQ(acts(other, Pendulum{}.spec()), acts(never, Pendulum{}.spec()));
}

TEST(CuriousExplorer, RefusesAPlanOfAnotherLength) {
  Archive archive;
  archive.put("explorer/actions", Matrix::Zero(1, 99));
  CuriousExplorer explorer(Pendulum{}, settings_for("evr"));
  EXPECT_EQ(message_of<InputError>([&] { explorer.restore(archive); }),
            "archive: block 'explorer/actions' is 1 x 99, expected 1 x 100");
}

}  // namespace
}  // namespace rhc
