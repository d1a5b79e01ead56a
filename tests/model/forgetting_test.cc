#include "rhc/model/forgetting.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "rhc/model/fit_regression.h"

namespace rhc {
namespace {

Transitions data(Index count, std::uint64_t seed) {
  RandomStream randomness(seed, "data");
  Transitions data{Matrix(2, count), Matrix(2, count)};
  for (double& v : data.inputs.reshaped()) v = randomness.uniform(-2, 2);
  for (double& v : data.outputs.reshaped()) v = randomness.normal();
  return data;
}

BayesianLinearModel prior_for(const Transitions& of) {
  FourierFeatures draw =
      with_affine_part(draw_features(12, 2, RandomStream(1, "features")), of.inputs);
  return {std::move(draw),
          {Vector::Ones(2), 0.3, Eigen::Vector2d(0.1, 0.2), 0.05},
          standardization_of(of.outputs)};
}

TEST(Remembered, CountsAnEpisodeLessByAFactorEForSoManyThatCameAfterIt) {
  const Transitions all = remembered({data(3, 1), data(2, 2), data(4, 3)}, 2);
  ASSERT_EQ(all.count(), 9);
  ASSERT_EQ(all.weights.size(), 9);
  EXPECT_DOUBLE_EQ(all.weights[0], std::exp(-1));
  EXPECT_DOUBLE_EQ(all.weights[3], std::exp(-0.5));
  EXPECT_EQ(all.weights[8], 1);
  EXPECT_NEAR(all.counted(), 3 * std::exp(-1) + 2 * std::exp(-0.5) + 4, 1e-12);
}

// A run that goes on knows of episodes that told nothing, one that never stopped does not.
TEST(Remembered, DoesNotAgeByEpisodesWithoutATransition) {
  const Transitions none{Matrix(2, 0), Matrix(2, 0)};
  EXPECT_EQ(remembered({data(3, 1), none, data(2, 2), none}, 2).weights,
            remembered({data(3, 1), data(2, 2)}, 2).weights);
}

TEST(Remembered, HasNoWeightsWhereNothingIsForgotten) {
  const Transitions all = remembered({data(3, 1), data(2, 2)}, 0);
  EXPECT_EQ(all.weights.size(), 0);
  EXPECT_EQ(all.counted(), 5);
  EXPECT_EQ(all.inputs, concatenate({data(3, 1), data(2, 2)}).inputs);
}

TEST(Forgetting, LeadsToTheWeightsOfADenseWeightedRidge) {
  // Fewer and more transitions than features: learned one by one, and all at once.
  for (const Index count : {5, 60}) {
    const Transitions all = remembered({data(count, 1), data(count, 2), data(count, 3)}, 1.5);
    BayesianLinearModel model = prior_for(all);
    const Matrix prior = model.factor * model.factor.transpose();
    model.learn(all);
    Matrix phi;
    model.features.evaluate(all.inputs, phi);
    const Matrix W = all.weights.asDiagonal();
    const Matrix A = prior + phi * W * phi.transpose();
    const Matrix weights = A.inverse() * phi * W * model.outputs.apply(all.outputs).transpose();
    EXPECT_LT((model.weights - weights).norm(), 1e-9 * weights.norm()) << count;
    EXPECT_LT((model.factor * model.factor.transpose() - A).norm(), 1e-9 * A.norm()) << count;
  }
}

TEST(Forgetting, CountsATransitionOfWeightTwoAsTwo) {
  Transitions once = data(30, 1), twice = concatenate({once, once});
  once.weights = Vector::Constant(30, 2);
  BayesianLinearModel a = prior_for(once), b = a;
  a.learn(once);
  b.learn(twice);
  EXPECT_LT((a.factor - b.factor).norm(), 1e-9 * b.factor.norm());
  EXPECT_LT((a.weights - b.weights).norm(), 1e-9 * b.weights.norm());
}

// Each way to a fit keeps the weights: what nobody remembers leaves no trace in any output.
TEST(Forgetting, HoldsForSharedAndSeparatePosteriorsAndWithWhatIsKnown) {
  const KnownMotion known{.change = [](const Vector& o, const Vector&) { return Vector(0.1 * o); },
                          .acted = 1};
  Transitions recent = data(60, 2);
  const auto law = [](Transitions& t, double sign) {
    t.outputs = Matrix(1, t.count());
    for (Index i = 0; i < t.count(); ++i)
      t.outputs(0, i) = sign * std::sin(t.inputs(0, i)) + 0.5 * sign * t.inputs(1, i);
  };
  Transitions old = data(60, 1);
  law(old, -1);
  law(recent, 1);
  const Transitions all = remembered({old, recent}, 0.1);
  FeatureDraws draws{draw_features(30, 2, RandomStream(1, "features")),
                     {draw_features(30, 2, RandomStream(2, "features"))}};
  for (const Sharing sharing : {Sharing::shared, Sharing::separate})
    for (const KnownMotion& what : {KnownMotion{}, known}) {
      const Regression fitted =
          fit_regression(draws, all, sharing, {.starts = 4}, {}, what).regression;
      EXPECT_LT((fitted.predict(recent.inputs).mean - recent.outputs).norm(),
                0.05 * recent.outputs.norm());
    }
}

}  // namespace
}  // namespace rhc
