#include "rhc/explore/curious_explorer.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/explore/learner.h"
#include "rhc/store/archive.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

DynamicsModel model_after(const System& system, int episodes, std::uint64_t seed) {
  Config config;
  config.model.features = 50;
  config.model.forecast_features = 100;
  config.model.evidence_starts = 4;
  config.seed = seed;
  Learner learner(config, system, 1);
  learner.learn(explore_at_random(system, {}, episodes, seed));
  return *learner.model();
}

CuriousSettings settings_for(const std::string& objective) {
  CuriousSettings settings{.objective = objective};
  settings.planner.starts = 4;
  return settings;
}

Question question(const System& system, int episode, const DynamicsModel* model) {
  return {.episode = episode,
          .model = model,
          .before = standing_at(system.observe(system.spec().start), 1),
          .sigmas = 0};
}

Decision decided(const System& system, const std::string& objective, int episode,
                 const DynamicsModel* model, const Matrix& last_actions = {}) {
  return decide_curiously(system.spec(), settings_for(objective), question(system, episode, model),
                          {.last_actions = last_actions});
}

TEST(DecideCuriously, PushesHardInAnEpisodeWithoutData) {
  const Decision decision = decided(Pendulum{}, "evr", 1, nullptr);
  EXPECT_FALSE(decision.plan);
  const auto actions = decision.actions.array();
  EXPECT_TRUE((actions == 1).any() && (actions == -1).any());
}

TEST(DecideCuriously, PushesAtSeveralLevelsInAnEpisodeWithoutData) {
  const auto actions = decided(Pendulum{}, "evr", 1, nullptr).actions.array().abs().eval();
  EXPECT_GT((actions < 0.4).count(), 0);
  EXPECT_GT((actions > 0.6 && actions < 0.7).count(), 0);
}

// A model that a margin of a billion deviations leaves no plan, not even to rest.
Decision decided_with_no_room(int left_limits) {
  SystemSpec spec = Cartpole{}.spec();
  spec.safety.first = 0.5;
  const DynamicsModel model = model_after(Cartpole{}, 1, 4);
  Question asked = question(Cartpole{}, 3, &model);
  asked.sigmas = 1e9;
  return decide_curiously(spec, settings_for("evr"), asked, {.left_limits = left_limits});
}

TEST(DecideCuriously, RepeatsTheFirstExperimentAtOtherLevelsRatherThanRest) {
  const Decision decision = decided_with_no_room(0);
  ASSERT_TRUE(decision.plan);
  EXPECT_EQ(decision.plan->status, PlanStatus::repeated);
  const double bound = Cartpole{}.spec().action_bounds.upper[0];
  EXPECT_LE(decision.actions.cwiseAbs().maxCoeff(), 0.5 * bound);
  EXPECT_GT(decision.actions.cwiseAbs().maxCoeff(), 0.4 * bound);
  EXPECT_EQ(decision.plan->states.cols(), decision.actions.cols() + 1);
  EXPECT_NE(decision.actions, decided(Cartpole{}, "evr", 1, nullptr).actions * 0.5);
}

// In the middle of a plan that promised more, the first experiment's pushes are none of its steps:
// the rest, or nothing but rest. Only the rest of a repetition goes on as it is.
TEST(DecideCuriously, DoesNotRepeatTheFirstExperimentOnTheWay) {
  SystemSpec spec = Cartpole{}.spec();
  const DynamicsModel model = model_after(Cartpole{}, 1, 4);
  Question asked = question(Cartpole{}, 3, &model);
  asked.sigmas = 1e9;
  asked.rest = Matrix::Constant(1, 40, 3);
  const Decision planned = decide_curiously(spec, settings_for("evr"), asked, {});
  EXPECT_EQ(planned.plan->status, PlanStatus::infeasible);
  EXPECT_TRUE(planned.actions == asked.rest || planned.actions.isZero()) << planned.actions;
  asked.repeated = true;
  const Decision repeated = decide_curiously(spec, settings_for("evr"), asked, {});
  EXPECT_EQ(repeated.plan->status, PlanStatus::repeated);
  EXPECT_EQ(repeated.actions, asked.rest);
}

TEST(DecideCuriously, ChangesNoFasterThanItMayFromTheActionBefore) {
  SystemSpec spec = Pendulum{}.spec();
  spec.safety.rate = Vector::Constant(1, 1);
  Question asked = question(Pendulum{}, 1, nullptr);
  const Vector start = asked.before.observations.col(0);
  asked.before = {start.replicate(1, 3), Matrix::Constant(1, 2, 0.9)};
  const Decision first = decide_curiously(spec, settings_for("evr"), asked, {});
  EXPECT_LE(std::abs(first.actions(0, 0) - 0.9), spec.time_step + 1e-12);
  for (Index t = 1; t < first.actions.cols(); ++t)
    EXPECT_LE(std::abs(first.actions(0, t) - first.actions(0, t - 1)), spec.time_step + 1e-12);
}

TEST(DecideCuriously, RepeatsMoreGentlyWhereLimitsWereLeft) {
  const double bound = Cartpole{}.spec().action_bounds.upper[0];
  EXPECT_LE(decided_with_no_room(2).actions.cwiseAbs().maxCoeff(), 0.125 * bound);
  EXPECT_GT(decided_with_no_room(2).actions.cwiseAbs().maxCoeff(), 0.1 * bound);
}

TEST(DecideCuriously, DecidesOnTheActionsOfItsPlan) {
  const DynamicsModel model = model_after(Pendulum{}, 1, 2);
  for (const char* objective : {"us", "info", "evr"}) {
    const Decision decision = decided(Pendulum{}, objective, 2, &model);
    ASSERT_TRUE(decision.plan);
    EXPECT_EQ(decision.actions, decision.plan->actions);
    EXPECT_EQ(decision.plan->defect, 0);
  }
}

TEST(DecideCuriously, TheEntropyOfItsPlanIsTheInformationItPromises) {
  const DynamicsModel model = model_after(Pendulum{}, 1, 3);
  const Plan plan = *decided(Pendulum{}, "evr", 2, &model).plan;
  EXPECT_NEAR(model.information(plan.states, plan.actions), plan.objective, 1e-6 * plan.objective);
}

TEST(DecideCuriously, StaysOnTheCircleAndInsideTheLimits) {
  const SystemSpec spec = Cartpole{}.spec();
  const DynamicsModel model = model_after(Cartpole{}, 2, 4);
  const Plan plan = *decided(Cartpole{}, "evr", 2, &model).plan;
  for (Index t = 0; t <= spec.horizon; ++t) {
    EXPECT_NEAR(plan.states.col(t).segment(1, 2).norm(), 1, 1e-12);
    EXPECT_TRUE(spec.limits.contains(plan.states.col(t))) << t;
  }
}

TEST(DecideCuriously, DependsOnNothingButWhatItIsGiven) {
  const DynamicsModel model = model_after(Pendulum{}, 1, 5);
  const Matrix last = decided(Pendulum{}, "evr", 1, nullptr).actions;
  EXPECT_EQ(decided(Pendulum{}, "evr", 2, &model, last).actions,
            decided(Pendulum{}, "evr", 2, &model, last).actions);
}

TEST(DecideCuriously, EndsWhenAsked) {
  const DynamicsModel model = model_after(Pendulum{}, 1, 6);
  Question asked = question(Pendulum{}, 2, &model);
  asked.stop_requested = [] { return true; };
  EXPECT_THROW(decide_curiously(Pendulum{}.spec(), settings_for("evr"), asked, {}), Interrupted);
}

TEST(CuriousExplorer, GoesOnAsIfItHadNeverBeenStopped) {
  const System system = Pendulum{};
  for (const char* objective : {"us", "info", "evr"}) {
    CuriousExplorer whole(system.spec(), settings_for(objective));
    whole.learn(whole.decide(question(system, 1, nullptr)).actions, {});
    for (const int episode : {2, 3}) {
      NamedValues values;
      whole.save(values);
      CuriousExplorer other(system.spec(), settings_for(objective));
      other.restore(parse_archive(archive_bytes(values), "checkpoint"));
      const DynamicsModel model =
          model_after(Pendulum{}, episode - 1, static_cast<std::uint64_t>(episode));
      const Decision decision = whole.decide(question(system, episode, &model));
      EXPECT_EQ(other.decide(question(system, episode, &model)).actions, decision.actions)
          << objective << episode;
      whole.learn(decision.actions, {});
    }
  }
}

TEST(CuriousExplorer, RemembersWhatWasDecidedNotWhatOthersTried) {
  CuriousExplorer explorer(Pendulum{}.spec(), settings_for("evr"));
  const Matrix actions = Matrix::Constant(1, 100, 0.25);
  explorer.learn(actions, {});
  explorer.learn({}, {});
  NamedValues values;
  explorer.save(values);
  EXPECT_EQ(values.matrix("explorer/actions", 1, 100), actions);
}

TEST(CuriousExplorer, ThatHasNotBegunIsRestoredAsOne) {
  const System system = Pendulum{};
  CuriousExplorer fresh(system.spec(), settings_for("evr"));
  NamedValues values;
  fresh.save(values);
  CuriousExplorer other(system.spec(), settings_for("evr"));
  other.restore(parse_archive(archive_bytes(values), "checkpoint"));
  EXPECT_EQ(other.decide(question(system, 1, nullptr)).actions,
            fresh.decide(question(system, 1, nullptr)).actions);
}

TEST(CuriousExplorer, RefusesAPlanOfAnotherLength) {
  NamedValues values;
  values.put("explorer/actions", Matrix::Zero(1, 99));
  CuriousExplorer explorer(Pendulum{}.spec(), settings_for("evr"));
  EXPECT_EQ(message_of<InputError>([&] { explorer.restore(values); }),
            "archive: block 'explorer/actions' is 1 x 99, expected 1 x 100");
}

}  // namespace
}  // namespace rhc
