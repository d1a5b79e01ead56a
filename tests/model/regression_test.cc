#include "rhc/model/regression.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/model/information.h"
#include "tests/plan/random_model.h"

namespace rhc {
namespace {

Matrix some_points(Index inputs, Index count) {
  RandomStream randomness(2, "points");
  Matrix points(inputs, count);
  for (double& x : points.reshaped()) x = randomness.normal();
  return points;
}

TEST(Regression, OfOnePosteriorIsThatPosterior) {
  const BayesianLinearModel model = random_model(20, 3, 1, 1);
  const Regression regression = model;
  const Matrix points = some_points(4, 11);
  EXPECT_EQ(regression.predict(points).mean, model.predict(points).mean);
  EXPECT_EQ(regression.predict(points).epistemic, model.predict(points).epistemic);
  EXPECT_EQ(regression.predict(points).noise, model.predict(points).noise);
  EXPECT_EQ(information(regression, points), information(model, points));
  EXPECT_EQ(regression.parameter_entropy(), model.parameter_entropy());
}

TEST(Regression, PutsEachOutputWhereItBelongs) {
  Regression regression = random_separate_model(16, 3, 1, 2);
  std::swap(regression.groups[0], regression.groups[2]);
  const Matrix points = some_points(4, 7);
  const Prediction all = regression.predict(points);
  for (const OutputGroup& group : regression.groups) {
    const Prediction one = group.posterior.predict(points);
    EXPECT_EQ(all.mean.row(group.outputs[0]), one.mean);
    EXPECT_LT((all.epistemic.row(group.outputs[0]) - one.epistemic).norm(),
              1e-14 * one.epistemic.norm());
    EXPECT_EQ(all.noise[group.outputs[0]], one.noise[0]);
  }
}

TEST(Regression, LearnsByOutput) {
  Regression at_once = random_separate_model(16, 3, 1, 3);
  Regression alone = at_once;
  const Transitions data{some_points(4, 9), some_points(3, 9)};
  at_once.learn(data);
  for (Index j = 0; j < 3; ++j)
    alone.groups[static_cast<std::size_t>(j)].posterior.learn({data.inputs, data.outputs.row(j)});
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_EQ(at_once.groups[j].posterior.weights, alone.groups[j].posterior.weights);
}

TEST(Regression, LearnsWhatIsNotKnown) {
  for (const bool separate : {false, true}) {
    const Regression unknowing =
        separate ? random_separate_model(16, 3, 1, 3) : Regression(random_model(16, 3, 1, 3));
    Regression knowing = unknowing, shifted = unknowing;
    knowing.known = {.change = [](const Vector& o, const Vector& a) { return Vector(o * a[0]); },
                     .acted = 1};
    Transitions data{some_points(4, 9), some_points(3, 9)};
    knowing.learn(data);
    const Matrix known = data.inputs.topRows(3) * data.inputs.row(3).asDiagonal();
    data.outputs -= known;
    shifted.learn(data);
    const Matrix expected = shifted.predict(data.inputs).mean + known;
    EXPECT_LT((knowing.predict(data.inputs).mean - expected).norm(), 1e-12 * expected.norm());
    EXPECT_EQ(knowing.predict(data.inputs).epistemic, shifted.predict(data.inputs).epistemic);
  }
}

TEST(Regression, RefusesBadDataBeforeAnyOutputHasLearned) {
  Regression regression = random_separate_model(16, 3, 1, 3);
  const Regression before = regression;
  Transitions data{some_points(4, 9), some_points(3, 9)};
  data.outputs(2, 5) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(regression.learn(data), InputError);
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_EQ(regression.groups[j].posterior.factor, before.groups[j].posterior.factor);
}

TEST(Regression, ThatHasLearnedIsSurerThanItsPrior) {
  for (const bool separate : {false, true}) {
    const Regression learned =
        separate ? random_separate_model(16, 3, 1, 4) : Regression(random_model(16, 3, 1, 4));
    const Regression prior = learned.prior();
    EXPECT_EQ(prior.count(), 0);
    EXPECT_GT(prior.parameter_entropy(), learned.parameter_entropy() + 1);
    EXPECT_EQ(prior.predict(some_points(4, 3)).noise, learned.predict(some_points(4, 3)).noise);
  }
}

// Nats are what the entropy of the parameters falls by; of affine features, which are bounded where
// information is told, a little less.
TEST(Regression, InformationIsTheFallOfEntropy) {
  for (const bool separate : {false, true}) {
    Regression regression =
        separate ? random_separate_model(16, 3, 1, 5) : Regression(random_model(16, 3, 1, 5));
    const Matrix points = some_points(4, 6);
    const double nats = information(regression, points), before = regression.parameter_entropy();
    EXPECT_NEAR(information_by_output(regression, points).sum(), nats, 1e-9 * nats);
    regression.learn({points, some_points(3, 6)});
    const double fall = before - regression.parameter_entropy();
    EXPECT_NEAR(fall, nats, (separate ? 0.1 : 1e-8) * nats);
    EXPECT_GE(fall, nats * (1 - 1e-8));
  }
}

}  // namespace
}  // namespace rhc
