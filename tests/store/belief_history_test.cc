#include "rhc/store/belief_history.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/store/run_record.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

BeliefRecord some_record() {
  return {
      .episode = 3,
      .draw = 2,
      .transitions = 299,
      .posteriors = {{.hyperparameters = {Eigen::Vector2d(0.1, 1.0 / 3), 1e-7,
                                          Eigen::Vector3d(1e-5, 2e-4, 0.3), 0,
                                          Eigen::Vector3d(1e-4, 2e-4, 0.3)},
                      .outputs = {Eigen::Vector3d(-0.1, 0, 1e-300), Eigen::Vector3d(1, 2, 3)}}}};
}

TEST(BeliefRecord, ReadsBackBitForBit) {
  const BeliefRecord record = some_record();
  const BeliefRecord read = belief_record({belief_json(record).dump(), "here"});
  EXPECT_EQ(read.episode, 3);
  EXPECT_EQ(read.draw, 2u);
  EXPECT_EQ(read.transitions, 299);
  ASSERT_EQ(read.posteriors.size(), 1u);
  const PosteriorRecord &one = read.posteriors[0], &expected = record.posteriors[0];
  EXPECT_EQ(one.hyperparameters.bandwidth, expected.hyperparameters.bandwidth);
  EXPECT_EQ(one.hyperparameters.prior_precision, expected.hyperparameters.prior_precision);
  EXPECT_EQ(one.hyperparameters.noise, expected.hyperparameters.noise);
  EXPECT_EQ(one.hyperparameters.predicted_noise, expected.hyperparameters.predicted_noise);
  EXPECT_EQ(one.outputs.mean, expected.outputs.mean);
  EXPECT_EQ(one.outputs.scale, expected.outputs.scale);
}

TEST(BeliefRecord, ReadsBackAPosteriorForEachOutput) {
  BeliefRecord record = some_record();
  record.posteriors.clear();
  for (const double x : {0.1, 1.0 / 3})
    record.posteriors.push_back(
        {.hyperparameters = {Eigen::Vector2d(x, 2), 1e-7, Vector::Constant(1, x), x * x},
         .outputs = {Vector::Constant(1, -x), Vector::Constant(1, 3)},
         .centre = Eigen::Vector2d(x, 0),
         .scale = Eigen::Vector2d(1, x)});
  const BeliefRecord read = belief_record({belief_json(record).dump(), "here"});
  ASSERT_EQ(read.posteriors.size(), 2u);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_EQ(read.posteriors[j].hyperparameters.affine_precision,
              record.posteriors[j].hyperparameters.affine_precision);
    EXPECT_EQ(read.posteriors[j].centre, record.posteriors[j].centre);
    EXPECT_EQ(read.posteriors[j].scale, record.posteriors[j].scale);
    EXPECT_EQ(read.posteriors[j].outputs.mean, record.posteriors[j].outputs.mean);
  }
}

TEST(BeliefRecord, NamesAKeyThatIsMissing) {
  const Json whole = belief_json(some_record());
  for (const auto& [key, value] : whole.items()) {
    if (key == "predicted_noise") continue;  // it is the noise where it is missing
    Json without = whole;
    without.erase(key);
    EXPECT_EQ(message_of<InputError>([&] {
                belief_record({without.dump(), "here:2"});
              }),
              "here:2: \"" + key + "\" is missing");
  }
}

// Every belief of a run, made again from its record and the episodes before it.
void expect_rebuilt(Config config) {
  // Without noise a posterior is so ill-conditioned that rounding alone makes another one of it.
  config.noise.observation = {0.01};
  // Records tell what was learned step by step.
  config.model.fit_trajectories = false;
  const TemporaryDirectory dir;
  std::vector<Regression> beliefs;
  RunEvents events;
  events.on_model = [&](int, const DynamicsModel& model) { beliefs.push_back(model.regression); };
  explore(dir.path() / "run", config, events);
  const RunRecord run = read_run(dir.path() / "run");
  ASSERT_EQ(run.beliefs.size(), beliefs.size());
  ASSERT_EQ(beliefs.size(), static_cast<std::size_t>(config.episodes));

  const Matrix points = sample_region(make_system(config.system), 50, RandomStream(1, "points"));
  for (std::size_t k = 0; k < beliefs.size(); ++k) {
    std::vector<Transitions> seen;
    for (std::size_t i = 0; i <= k; ++i)
      seen.push_back(transitions_of(*run.episodes[i], run.spec.limits));
    const Regression again = rebuild(run.beliefs[k], run.config, run.spec, seen).regression;
    EXPECT_EQ(again.count(), beliefs[k].count());
    ASSERT_EQ(again.groups.size(), beliefs[k].groups.size());
    EXPECT_EQ(again.groups.back().posterior.features.P,
              beliefs[k].groups.back().posterior.features.P)
        << "after episode " << k + 1;
    const Prediction held = beliefs[k].predict(points), made = again.predict(points);
    EXPECT_LE((held.mean - made.mean).norm(), 1e-6 * held.mean.norm()) << "episode " << k + 1;
    EXPECT_LE((held.epistemic - made.epistemic).norm(), 1e-6 * held.epistemic.norm());
    EXPECT_EQ(held.noise, made.noise);
  }
}

TEST(Rebuild, GivesTheBeliefsOfARun) { expect_rebuilt(tiny_config("pendulum", 4)); }

TEST(Rebuild, GivesTheBeliefsOfARunThatForgets) {
  Config config = tiny_config("pendulum", 4);
  config.model.forgetting = 1.5;
  expect_rebuilt(config);
}

TEST(Rebuild, GivesBeliefsThatWereNeverRefitted) {
  Config config = tiny_config("pendulum", 4);
  config.model.refit = 0;
  expect_rebuilt(config);
}

TEST(Rebuild, GivesBeliefsThatWereRefittedEveryOtherEpisode) {
  Config config = tiny_config("pendulum", 5);
  config.model.refit = 2;
  expect_rebuilt(config);
}

TEST(Rebuild, GivesBeliefsWhoseFeaturesWereDrawnAnew) {
  Config config = tiny_config("pendulum", 4);
  config.model.redraw_features = true;
  config.model.posterior = Sharing::shared;
  config.plan.first_levels = 1;
  expect_rebuilt(config);
}

TEST(Rebuild, GivesBeliefsWhoseFeaturesWereDrawnAnewEveryOtherEpisode) {
  Config config = tiny_config("cartpole", 4);
  config.model.redraw_features = true;
  config.model.refit = 2;
  expect_rebuilt(config);
}

}  // namespace
}  // namespace rhc
