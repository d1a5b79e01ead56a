#include "rhc/explore/learner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/error.h"
#include "rhc/store/archive.h"
#include "rhc/system/nominal.h"
#include "rhc/system/pendulum.h"
#include "tests/explore/test_machine.h"
#include "tests/model/random_exploration.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

Config config_with(int refit, bool redraw = false) {
  Config config;
  config.model.features = 30;
  config.model.forecast_features = 60;
  config.model.evidence_starts = 4;
  config.model.refit = refit;
  config.model.redraw_features = redraw;
  return config;
}

Transitions episode(std::uint64_t seed) { return explore_at_random(Pendulum{}, {}, 1, seed); }

TEST(Learner, HasNoBeliefBeforeData) {
  Learner learner(config_with(1), Pendulum{}, 1);
  EXPECT_EQ(learner.model(), nullptr);
  learner.learn({Matrix(4, 0), Matrix(3, 0)});
  EXPECT_EQ(learner.model(), nullptr) << "an episode without a usable transition teaches nothing";
}

TEST(Learner, KnowsNothingOfDataThatCannotBeLearnedFrom) {
  for (const int refit : {0, 1}) {
    Learner learner(config_with(refit), Pendulum{}, 1),
        undisturbed(config_with(refit), Pendulum{}, 1);
    learner.learn(episode(1));
    undisturbed.learn(episode(1));
    Transitions bad = episode(2);
    bad.outputs(1, 7) = NAN;
    EXPECT_THROW(learner.learn(bad), std::exception) << refit;
    EXPECT_EQ(learner.transitions(), 100) << refit;
    learner.learn(episode(3));
    undisturbed.learn(episode(3));
    EXPECT_EQ(learner.model()->regression.groups[0].posterior.weights,
              undisturbed.model()->regression.groups[0].posterior.weights)
        << refit;
  }
}

// Noisy, so that whole trajectories are fitted as well.
TEST(Learner, IsAsItWasWhereLearningIsInterrupted) {
  for (const int refit : {0, 1}) {
    const auto noisy = [](std::uint64_t seed) {
      return explore_at_random(Pendulum{}, {Vector::Constant(3, 0.02), {}}, 1, seed);
    };
    Learner learner(config_with(refit), Pendulum{}, 1);
    learner.learn(noisy(1));
    const auto state = [&] {
      NamedValues values;
      learner.save(values);
      return archive_bytes(values);
    };
    const auto before = state();
    int asked = 0;
    Learner undisturbed = learner;
    undisturbed.learn(noisy(2), StopSignal([&] { return ++asked < 0; }));
    const int all = asked;
    ASSERT_GT(all, refit == 0 ? 3 : 50);
    for (const int last : {0, all / 3, all - 2, all - 1}) {
      asked = 0;
      EXPECT_THROW(learner.learn(noisy(2), StopSignal([&] { return ++asked > last; })),
                   Interrupted);
      EXPECT_EQ(asked, last + 1) << refit;
      EXPECT_EQ(state(), before) << refit << ", after question " << last;
    }
    learner.learn(noisy(2));
    EXPECT_EQ(learner.model()->regression.groups[0].posterior.weights,
              undisturbed.model()->regression.groups[0].posterior.weights);
  }
}

TEST(Learner, NeverRefittingKeepsTheFirstHyperparameters) {
  Learner learner(config_with(0), Pendulum{}, 1);
  learner.learn(episode(1));
  const Vector first = learner.model()->regression.groups[0].posterior.features.bandwidth;
  EXPECT_TRUE(learner.log_evidence().has_value());
  learner.learn(episode(2));
  EXPECT_EQ(learner.model()->regression.groups[0].posterior.features.bandwidth, first);
  EXPECT_EQ(learner.model()->regression.count(), 200);
  EXPECT_FALSE(learner.log_evidence().has_value());
}

TEST(Learner, RefitsEveryFewEpisodes) {
  Learner learner(config_with(2), Pendulum{}, 1);
  learner.learn(episode(1));
  const Vector first = learner.model()->regression.groups[0].posterior.features.bandwidth;
  learner.learn(episode(2));
  EXPECT_EQ(learner.model()->regression.groups[0].posterior.features.bandwidth, first);
  learner.learn(episode(3));
  EXPECT_NE(learner.model()->regression.groups[0].posterior.features.bandwidth, first);
}

TEST(Learner, UpdatingIsTheSameAsLearningAllAtOnce) {
  Learner learner(config_with(0), Pendulum{}, 1);
  learner.learn(episode(1));
  Regression whole(learner.model()->regression);
  learner.learn(episode(2));
  whole.learn(episode(2));
  EXPECT_LT(
      (learner.model()->regression.groups[0].posterior.weights - whole.groups[0].posterior.weights)
          .norm(),
      1e-9 * whole.groups[0].posterior.weights.norm());
}

TEST(Learner, DrawsNewFeaturesAtEveryFitWhenAsked) {
  Learner kept(config_with(1), Pendulum{}, 1), redrawn(config_with(1, true), Pendulum{}, 1);
  kept.learn(episode(1));
  redrawn.learn(episode(1));
  const Matrix first = kept.model()->regression.groups[0].posterior.features.P,
               other = redrawn.model()->regression.groups[0].posterior.features.P;
  kept.learn(episode(2));
  redrawn.learn(episode(2));
  EXPECT_EQ(kept.model()->regression.groups[0].posterior.features.P, first);
  EXPECT_NE(redrawn.model()->regression.groups[0].posterior.features.P, other);
}

// Of which a pendulum with a weaker motor is known.
struct KnownPendulum {
  struct Weak : Pendulum {
    Vector step(const Vector& state, const Vector& action) const {
      return Pendulum::step(state, 0.7 * action);
    }
  };

  SystemSpec spec() const {
    SystemSpec spec = Pendulum{}.spec();
    spec.known = nominal_motion(Weak{}, spec);
    return spec;
  }
  Vector observe(const Vector& state) const { return Pendulum{}.observe(state); }
  Vector step(const Vector& state, const Vector& action) const {
    return Pendulum{}.step(state, action);
  }
};

double error_of(const Learner& learner) {
  const Transitions unseen = explore_at_random(Pendulum{}, {}, 5, 99);
  return (learner.model()->regression.predict(unseen.inputs).mean - unseen.outputs).norm();
}

TEST(Learner, LearnsWhatANominalModelHasWrong) {
  Learner alone(config_with(1), Pendulum{}, 1), knowing(config_with(1), KnownPendulum{}, 1);
  alone.learn(episode(1));
  knowing.learn(episode(1));
  const Transitions unseen = explore_at_random(Pendulum{}, {}, 5, 99);
  const double nominal = left_to_learn(KnownPendulum{}.spec().known, unseen).outputs.norm();
  EXPECT_LT(error_of(knowing), 0.2 * nominal);
  EXPECT_LT(error_of(knowing), error_of(alone));
}

TEST(Learner, IsRestoredWithWhatIsKnown) {
  Learner learner(config_with(1), KnownPendulum{}, 1), other(config_with(1), KnownPendulum{}, 1);
  learner.learn(episode(1));
  NamedValues archive;
  learner.save(archive);
  other.restore(archive, {episode(1)});
  const Matrix inputs = episode(2).inputs;
  EXPECT_EQ(other.model()->regression.predict(inputs).mean,
            learner.model()->regression.predict(inputs).mean);
  const Forecast a = forecast_from(*learner.model(), inputs.col(0).head(3), inputs.bottomRows(1)),
                 b = forecast_from(*other.model(), inputs.col(0).head(3), inputs.bottomRows(1));
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.deviation, b.deviation);
}

// A learner that another process left, after so many episodes.
Learner restored(const Learner& learner, const Config& config, int episodes) {
  NamedValues archive;
  learner.save(archive);
  std::vector<Transitions> batches;
  for (int e = 1; e <= episodes; ++e) batches.push_back(episode(static_cast<std::uint64_t>(e)));
  Learner other(config, Pendulum{}, 1);
  other.restore(parse_archive(archive_bytes(archive), "checkpoint"), batches);
  return other;
}

TEST(Learner, GoesOnAsIfItHadNeverBeenStopped) {
  for (const int refit : {1, 2, 3, 0})
    for (const bool redraw : {false, true}) {
      const Config config = config_with(refit, redraw);
      Learner whole(config, Pendulum{}, 1);
      for (int e = 0; e < 4; ++e) {
        Learner other = restored(whole, config, e);
        EXPECT_EQ(other.transitions(), whole.transitions());
        const Transitions next = episode(static_cast<std::uint64_t>(e) + 1);
        whole.learn(next);
        other.learn(next);
        const BayesianLinearModel &a = whole.model()->regression.groups.back().posterior,
                                  &b = other.model()->regression.groups.back().posterior;
        const std::string when = "refit " + std::to_string(refit) + (redraw ? ", redrawn" : "") +
                                 ", episode " + std::to_string(e + 1);
        EXPECT_EQ(a.weights, b.weights) << when;
        EXPECT_EQ(a.factor, b.factor) << when;
        EXPECT_EQ(a.moment, b.moment) << when;
        EXPECT_EQ(a.features.P, b.features.P) << when;
        EXPECT_EQ(a.count, b.count) << when;
        EXPECT_EQ(whole.log_evidence(), other.log_evidence()) << when;
        EXPECT_EQ(belief_json(*whole.record(e + 1)), belief_json(*other.record(e + 1))) << when;
      }
    }
}

TEST(Learner, IsRestoredWithWhatTrajectoriesTold) {
  const NoiseLevels noise{Eigen::Vector3d(0.02, 0.02, 0.1), {}};
  for (const int refit : {1, 2, 0}) {
    const Config config = config_with(refit);
    Learner learner(config, Pendulum{}, 1), other(config, Pendulum{}, 1);
    std::vector<Transitions> seen;
    for (std::uint64_t e = 1; e <= 3; ++e) {
      seen.push_back(explore_at_random(Pendulum{}, noise, 1, e));
      learner.learn(seen.back());
    }
    ASSERT_FALSE(learner.model()->weight_draws.empty());
    NamedValues archive;
    learner.save(archive);
    other.restore(archive, seen);
    EXPECT_EQ(other.model()->weight_draws, learner.model()->weight_draws) << "refit " << refit;
    for (std::size_t g = 0; g < learner.model()->regression.groups.size(); ++g)
      EXPECT_EQ(other.model()->regression.groups[g].posterior.weights,
                learner.model()->regression.groups[g].posterior.weights)
          << "refit " << refit;
  }
}

TEST(Learner, LearnsStepByStepWhereThatIsWanted) {
  const NoiseLevels noise{Eigen::Vector3d(0.02, 0.02, 0.1), {}};
  Config config = config_with(1);
  config.model.fit_trajectories = false;
  Learner learner(config, Pendulum{}, 1);
  learner.learn(explore_at_random(Pendulum{}, noise, 3, 1));
  EXPECT_TRUE(learner.model()->weight_draws.empty());
}

TEST(Learner, GoesOnAsIfItHadNeverBeenStoppedWhereItForgets) {
  const NoiseLevels noise{Eigen::Vector3d(0.02, 0.02, 0.1), {}};
  for (const int refit : {1, 2, 0}) {
    Config config = config_with(refit);
    config.model.forgetting = 1.5;
    Learner whole(config, Pendulum{}, 1);
    std::vector<Transitions> seen;
    for (std::uint64_t e = 1; e <= 4; ++e) {
      NamedValues archive;
      whole.save(archive);
      Learner other(config, Pendulum{}, 1);
      other.restore(archive, seen);
      // A run hands on an episode that told nothing only when it is taken up again.
      seen.push_back(e == 2 ? Transitions{Matrix(4, 0), Matrix(3, 0)}
                            : explore_at_random(Pendulum{}, noise, 1, e));
      if (e == 2) continue;
      whole.learn(seen.back());
      other.learn(seen.back());
      const std::string when = fmt::format("refit {}, episode {}", refit, e);
      EXPECT_EQ(whole.model()->regression.groups[0].posterior.factor,
                other.model()->regression.groups[0].posterior.factor)
          << when;
      EXPECT_EQ(whole.model()->noise->sensor, other.model()->noise->sensor) << when;
      EXPECT_EQ(whole.model()->possible.size(), other.model()->possible.size()) << when;
      for (std::size_t i = 0; i < whole.model()->possible.size(); ++i)
        EXPECT_EQ(whole.model()->possible[i]->groups[0].posterior.weights,
                  other.model()->possible[i]->groups[0].posterior.weights)
            << when;
    }
  }
}

TEST(Learner, ForgetsAlsoWhereTheHyperparametersStay) {
  Config config = config_with(0);
  config.model.forgetting = 1;
  Learner learner(config, Pendulum{}, 1);
  learner.learn(episode(1));
  Regression whole = learner.model()->regression.prior();
  learner.learn(episode(2));
  Transitions all = concatenate({episode(1), episode(2)});
  all.weights = Vector::Ones(200);
  all.weights.head(100).setConstant(std::exp(-1));
  whole.learn(all);
  EXPECT_EQ(learner.model()->regression.groups[0].posterior.weights,
            whole.groups[0].posterior.weights);
}

// One-step errors in the next episode, after 20 of a machine whose gain fell by so much.
double error_after_wear(double lost, double forgetting) {
  Config config = config_with(0);
  config.model.refit = 5;
  config.model.forgetting = forgetting;
  config.model.fit_trajectories = false;
  Learner learner(config, TestMachine{}, 1);
  const auto seen = [&](int e) {
    const TestMachine machine{.gain = 1 - lost * e / 20, .noise = 0.01};
    return transitions_of(machine.episode(static_cast<std::uint64_t>(e) + 1), Box::unbounded(2));
  };
  for (int e = 0; e < 20; ++e) learner.learn(seen(e));
  const Transitions next = seen(20);
  return (learner.model()->regression.predict(next.inputs).mean - next.outputs).norm();
}

TEST(Learner, FollowsAMachineThatWearsWhereItForgets) {
  EXPECT_LT(error_after_wear(0.4, 4), 0.6 * error_after_wear(0.4, 0));
}

TEST(Learner, LosesLittleByForgettingWhereNothingChanges) {
  EXPECT_LT(error_after_wear(0, 4), 1.05 * error_after_wear(0, 0));
}

TEST(Learner, IsRestoredWithTheBeliefItHad) {
  const Config config = config_with(2);
  Learner learner(config, Pendulum{}, 1);
  learner.learn(episode(1));
  const Learner other = restored(learner, config, 1);
  ASSERT_NE(other.model(), nullptr);
  EXPECT_EQ(other.model()->regression.groups[0].posterior.weights,
            learner.model()->regression.groups[0].posterior.weights);
  EXPECT_EQ(other.model()->regression.groups[0].posterior.noise,
            learner.model()->regression.groups[0].posterior.noise);
  EXPECT_EQ(other.model()->regression.groups[0].posterior.features.bandwidth,
            learner.model()->regression.groups[0].posterior.features.bandwidth);
}

TEST(Learner, IsRestoredWithTheEvidenceOfItsData) {
  const Config config = config_with(1);
  Learner learner(config, Pendulum{}, 1);
  learner.learn(episode(1));
  EXPECT_EQ(restored(learner, config, 1).log_evidence(), learner.log_evidence());
}

// As an earlier rhc left it.
TEST(Learner, KnowsNoEvidenceThatWasNotKept) {
  const Config config = config_with(1);
  Learner learner(config, Pendulum{}, 1);
  learner.learn(episode(1));
  NamedValues archive, without;
  learner.save(archive);
  for (const char* block : {"bandwidth", "prior_precision", "noise", "output_mean", "output_scale",
                            "factor", "moment", "weights"}) {
    const std::string key = std::string("learner/") + block;
    without.put(key, archive.matrix(key, -1, -1));
  }
  without.put("learner/draws", archive.count("learner/draws"));
  without.put("learner/since_fit", archive.count("learner/since_fit"));
  Learner other(config, Pendulum{}, 1);
  other.restore(without, {episode(1)});
  EXPECT_EQ(other.log_evidence(), std::nullopt);
}

TEST(Learner, NamesTheBlockThatDoesNotFit) {
  Learner learner(config_with(1), Pendulum{}, 1);
  learner.learn(episode(1));
  Config larger = config_with(1);
  larger.model.features = 31;
  EXPECT_NE(message_of<InputError>([&] {
              restored(learner, larger, 1);
            }).find("checkpoint: block 'learner/factor' is 30 x 30, expected 31 x 31"),
            std::string::npos);
  EXPECT_EQ(message_of<InputError>([&] {
              Learner(config_with(1), Pendulum{}, 1)
                  .restore(parse_archive(archive_bytes(NamedValues()), "c"), {});
            }),
            "c: block 'learner/draws' is missing");
}

// Tanks, motors: nothing turns them round, and a task may lead far beyond what was seen. With
// noise, sines alone come back to no motion at all there.
struct SlowMotor {
  SystemSpec spec() const {
    return {.name = "slow-motor",
            .title = "motor",
            .state = {{"speed", "rad/s"}},
            .observation = {{"speed", "rad/s"}},
            .action = {{"voltage", "V"}},
            .angles = {},
            .action_bounds = {Vector::Constant(1, -10), Vector::Constant(1, 10)},
            .limits = Box::unbounded(1),
            .time_step = 0.1,
            .horizon = 60,
            .start = Vector::Zero(1),
            .region = {Vector::Constant(1, -2), Vector::Constant(1, 2)},
            .task = {.target = Vector::Constant(1, 8),
                     .weight = Vector::Ones(1),
                     .action_weight = Vector::Constant(1, 0.01)}};
  }
  Vector step(const Vector& x, const Vector& u) const { return 0.9 * x + 0.1 * u; }
};

// Held pushes of at most 3 V, with a sensor's noise.
Transitions pushed_motor(double noise) {
  RandomStream randomness(1, "pushed motor");
  Trajectory seen{Matrix(1, 181), Matrix(1, 180)};
  Vector state = Vector::Zero(1), push = state;
  for (Index t = 0; t <= 180; ++t) {
    seen.observations.col(t) = state.array() + noise * randomness.normal();
    if (t == 180) break;
    if (t % 6 == 0) push[0] = randomness.uniform(-3, 3);
    seen.actions.col(t) = push;
    state = SlowMotor{}.step(state, push);
  }
  return transitions_of(seen, Box::unbounded(1), 1);
}

TEST(Learner, GoesOnAsAPlaneForTasksFarFromTheData) {
  Learner learner(config_with(1), SlowMotor{}, 1);
  learner.learn(pushed_motor(0.1));
  const auto fall_at = [&](double speed, const DynamicsModel& model) {
    return -model.regression.predict(Eigen::Vector2d(speed, 0)).mean(0, 0);
  };
  // In truth 4.
  EXPECT_NEAR(fall_at(40, learner.task_model()), 4, 1.5);
  // What explores knows nothing of it.
  EXPECT_LT(std::abs(fall_at(40, *learner.model())), 1.5);
}

TEST(Learner, HasOneModelForAllWhereAnAngleTurnsOrNothingIsNoise) {
  Learner pendulum(config_with(1), Pendulum{}, 1);
  pendulum.learn(episode(1));
  Learner exact(config_with(1), SlowMotor{}, 1);
  exact.learn(pushed_motor(0));
  for (const Learner* learner : {&pendulum, &exact})
    EXPECT_EQ(learner->task_model().regression.groups[0].posterior.weights,
              learner->model()->regression.groups[0].posterior.weights);
}

}  // namespace
}  // namespace rhc
