#include "rhc/neural/sine_network.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/error.h"
#include "rhc/explore/learner.h"
#include "rhc/model/fit_head.h"
#include "rhc/store/archive.h"
#include "rhc/store/belief_history.h"
#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

constexpr double kNoise = 0.05;

// Eight inputs, of which two directions matter.
Transitions two_directions(Index count, std::uint64_t seed) {
  RandomStream randomness(1, "directions"), r(seed, "data");
  Matrix directions(2, 8);
  for (double& v : directions.reshaped()) v = randomness.normal() / std::sqrt(8.0);
  Transitions data{Matrix(8, count), Matrix(2, count)};
  for (Index t = 0; t < count; ++t) {
    data.inputs.col(t) = 3 * r.normals(8).array() + 5;
    const Vector u = directions * (data.inputs.col(t).array() - 5).matrix() / 3;
    data.outputs(0, t) = std::sin(3 * u[0]) * std::cos(2 * u[1]) + kNoise * r.normal();
    data.outputs(1, t) = 7 * std::abs(u[0] - u[1]) + 7 * kNoise * r.normal();
  }
  return data;
}

NetworkLesson lesson_on(const Transitions& data, const FourierFeatures* before = nullptr) {
  return {.data = data,
          .layers = {20, 20, 40},
          .updates = 1500,
          .before = before,
          .device = "cpu",
          .seed = 1,
          .number = before ? 1u : 0u};
}

// In standard deviations of the outputs.
double error_on(const Regression& model, const Transitions& unseen) {
  const Vector scale = standardization_of(unseen.outputs).scale;
  const Matrix error = model.predict(unseen.inputs).mean - unseen.outputs;
  return (scale.cwiseInverse().asDiagonal() * error).norm() /
         std::sqrt(static_cast<double>(error.size()));
}

class SineNetwork : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    data_ = new Transitions(two_directions(3000, 1));
    features_ = new FourierFeatures(sine_network(lesson_on(*data_)));
  }
  static void TearDownTestSuite() {
    delete data_;
    delete features_;
  }

  static const Transitions* data_;
  static const FourierFeatures* features_;
};
const Transitions* SineNetwork::data_ = nullptr;
const FourierFeatures* SineNetwork::features_ = nullptr;

TEST_F(SineNetwork, HasTheShapeThatWasAskedFor) {
  EXPECT_EQ(features_->inputs(), 8);
  EXPECT_EQ(features_->sines(), 40);
  EXPECT_EQ(features_->affine(), 9);
  ASSERT_EQ(features_->hidden.size(), 2u);
  EXPECT_EQ(features_->hidden[0].weights.rows(), 20);
}

// Random features of the same number have the bandwidths that the evidence finds.
TEST_F(SineNetwork, ErrsFarLessThanAsManyRandomFeatures) {
  const Transitions unseen = two_directions(1000, 2);
  const FittedRegression head = fit_head(*features_, *data_, 1e-4, 1e-4);
  const FourierFeatures draw = draw_features(40, 8, RandomStream(1, "features"));
  const FittedModel random = fit_model(draw, *data_, {.starts = 4});
  EXPECT_LT(error_on(head.regression, unseen), 0.5 * error_on(random.model, unseen));
  EXPECT_LT(error_on(head.regression, unseen), 4 * kNoise);
}

TEST_F(SineNetwork, ItsBandsHoldOnUnseenData) {
  const Transitions unseen = two_directions(2000, 3);
  const FittedRegression head = fit_head(*features_, *data_, 1e-4, 1e-4);
  const Prediction predicted = head.regression.predict(unseen.inputs);
  const Matrix deviation = (predicted.epistemic.colwise() + predicted.noise).cwiseSqrt();
  const Vector inside =
      ((predicted.mean - unseen.outputs).array().abs() <= 1.959964 * deviation.array())
          .cast<double>()
          .rowwise()
          .mean();
  EXPECT_GT(inside.minCoeff(), 0.90);
  EXPECT_LT(inside.maxCoeff(), 0.98);
}

TEST_F(SineNetwork, IsTheSameEveryTimeAndAnotherOneForAnotherSeed) {
  const FourierFeatures again = sine_network(lesson_on(*data_));
  EXPECT_EQ(again.P, features_->P);
  EXPECT_EQ(again.phase, features_->phase);
  EXPECT_EQ(again.hidden[0].weights, features_->hidden[0].weights);
  NetworkLesson other = lesson_on(*data_);
  other.updates = 100;
  const FourierFeatures one = sine_network(other);
  other.seed = 2;
  EXPECT_NE(sine_network(other).P, one.P);
}

TEST_F(SineNetwork, GoesOnFromWhatItWas) {
  const Transitions more = concatenate({*data_, two_directions(1000, 4)});
  const FourierFeatures later = sine_network(lesson_on(more, features_));
  EXPECT_EQ(later.bandwidth, features_->bandwidth);
  EXPECT_LT((later.P - features_->P).norm(), 0.5 * features_->P.norm());
  const Transitions unseen = two_directions(1000, 2);
  EXPECT_LT(error_on(fit_head(later, more, 1e-4, 1e-4).regression, unseen),
            1.05 * error_on(fit_head(*features_, more, 1e-4, 1e-4).regression, unseen));
}

TEST_F(SineNetwork, StopsWhenAsked) {
  NetworkLesson lesson = lesson_on(*data_);
  lesson.stop_requested = [] { return true; };
  EXPECT_THROW(sine_network(lesson), Interrupted);
}

TEST_F(SineNetwork, NeedsEnoughTransitions) {
  const Transitions few = two_directions(100, 1);
  EXPECT_THROW(sine_network(lesson_on(few)), LearningError);
}

// A learner whose features become a network's at the second episode, and are trained on after it.
Config network_config() {
  Config config;
  config.model.features = 30;
  config.model.forecast_features = 60;
  config.model.evidence_starts = 4;
  config.model.posterior = Sharing::shared;
  config.network = {.from = 1200, .layers = {10, 12}, .updates = 300};
  return config;
}

Transitions part_of(std::uint64_t episode) {
  std::vector<Transitions> parts;
  for (std::uint64_t i = 0; i < 8; ++i)
    parts.push_back(explore_at_random(Pendulum{}, {}, 1, 100 * episode + i));
  return concatenate(parts);
}

Learner left_by_another(const Learner& learner, const Config& config, std::uint64_t episodes) {
  NamedValues archive;
  learner.save(archive);
  std::vector<Transitions> batches;
  for (std::uint64_t e = 1; e <= episodes; ++e) batches.push_back(part_of(e));
  Learner other(config, Pendulum{}, 1);
  other.restore(parse_archive(archive_bytes(archive), "checkpoint"), batches);
  return other;
}

TEST(LearnerWithANetwork, GoesOnAsIfItHadNeverBeenStopped) {
  for (const int refit : {1, 2}) {
    Config config = network_config();
    config.model.refit = refit;
    Learner whole(config, Pendulum{}, 2);
    std::vector<BeliefRecord> beliefs;
    for (std::uint64_t e = 1; e <= 4; ++e) {
      const std::string when = fmt::format("refit {}, episode {}", refit, e);
      Learner other = left_by_another(whole, config, e - 1);
      const Transitions next = part_of(e);
      whole.learn(next);
      other.learn(next);
      const BayesianLinearModel &a = whole.model()->regression.groups[0].posterior,
                                &b = other.model()->regression.groups[0].posterior;
      EXPECT_EQ(a.weights, b.weights) << when;
      EXPECT_EQ(a.factor, b.factor) << when;
      EXPECT_EQ(a.features.P, b.features.P) << when;
      EXPECT_EQ(a.noise, b.noise) << when;
      EXPECT_EQ(whole.log_evidence(), other.log_evidence()) << when;
      EXPECT_EQ(a.features.hidden.empty(), e < (refit == 1 ? 2 : 3)) << when;
      const int episode = static_cast<int>(e);
      EXPECT_EQ(belief_json(*whole.record(episode)), belief_json(*other.record(episode))) << when;
      beliefs.push_back(belief_record({belief_json(*whole.record(episode)).dump(), "here"}));
    }
    EXPECT_GT(beliefs.back().network, refit == 1 ? 1u : 0u) << "it was trained on";

    // The belief is made again from what was kept, also where its network stands with another one.
    share_networks(beliefs);
    const SystemSpec spec = Pendulum{}.spec();
    for (std::size_t e = 2; e < 4; ++e) {
      std::vector<Transitions> seen;
      for (std::uint64_t i = 1; i <= e + 1; ++i) seen.push_back(part_of(i));
      const DynamicsModel again = rebuild(beliefs[e], config, spec, seen);
      EXPECT_EQ(again.regression.groups[0].posterior.features.sines(), 12);
      if (e < 3) continue;
      const Matrix inputs = part_of(9).inputs;
      const Matrix expected = whole.model()->regression.predict(inputs).mean;
      EXPECT_LT((again.regression.predict(inputs).mean - expected).norm(), 1e-6 * expected.norm());
    }
  }
}

TEST(LearnerWithANetwork, IsTheSameOnAnyNumberOfThreads) {
  Learner one(network_config(), Pendulum{}, 1), four(network_config(), Pendulum{}, 4);
  for (std::uint64_t e = 1; e <= 2; ++e) {
    one.learn(part_of(e));
    four.learn(part_of(e));
  }
  const BayesianLinearModel &a = one.model()->regression.groups[0].posterior,
                            &b = four.model()->regression.groups[0].posterior;
  ASSERT_FALSE(a.features.hidden.empty());
  EXPECT_EQ(a.features.P, b.features.P);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.factor, b.factor);
}

}  // namespace
}  // namespace rhc
