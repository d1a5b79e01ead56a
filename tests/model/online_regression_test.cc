#include "rhc/model/online_regression.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "rhc/core/error.h"
#include "tests/plan/random_model.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

Vector drawn(RandomStream& randomness, Index size) {
  Vector numbers(size);
  for (double& x : numbers) x = randomness.normal();
  return numbers;
}

// Weights of the ridge regression of all data at once, in long double: an oracle that shares
// neither the factor nor the order of the sums.
Matrix batch_weights(const BayesianLinearModel& prior, const std::vector<Vector>& inputs,
                     const std::vector<Vector>& changes) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Index M = prior.features.count();
  Long A = (prior.factor * prior.factor.transpose()).cast<long double>();
  Long b = (prior.factor * prior.factor.transpose() * prior.weights).cast<long double>();
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    Matrix phi(M, 1);
    prior.features.evaluate(inputs[t], phi);
    const Matrix y = prior.outputs.apply(changes[t]);
    A += phi.cast<long double>() * phi.cast<long double>().transpose();
    b += phi.cast<long double>() * y.cast<long double>().transpose();
  }
  return A.ldlt().solve(b).cast<double>();
}

TEST(OnlineRegression, AgreesWithAllDataAtOnceHoweverManyTheyAre) {
  RandomStream randomness(5, "data");
  const BayesianLinearModel before = random_model(20, 2, 1, 4);
  OnlineRegression online{Regression(before)};
  std::vector<Vector> inputs, changes;
  for (int t = 0; t < repeats(20000, 1000000); ++t) {
    inputs.push_back(drawn(randomness, 3));
    changes.push_back(drawn(randomness, 2));
    online.learn(inputs.back(), changes.back());
  }
  online.solve();
  const BayesianLinearModel& learned = online.regression.groups[0].posterior;
  EXPECT_EQ(learned.count, before.count + static_cast<Index>(inputs.size()));
  const double condition =
      std::pow(learned.factor.diagonal().maxCoeff() / learned.factor.diagonal().minCoeff(), 2);
  ASSERT_LT(condition, 1e6);
  const Matrix weights = batch_weights(before, inputs, changes);
  for (int i = 0; i < 20; ++i) {
    const Vector point = drawn(randomness, 3);
    Matrix phi;
    before.features.evaluate(point, phi);
    const Vector expected =
        before.outputs.mean + before.outputs.scale.cwiseProduct((weights.transpose() * phi).col(0));
    const Prediction told = online.regression.predict(point);
    EXPECT_LT((told.mean - expected).norm(), 1e-8 * expected.norm());
  }
}

// With a prior of 1e-12 the condition number is far beyond that: what is predicted still agrees
// within a small part of its deviation.
TEST(OnlineRegression, IsRightWithinItsDeviationsWhereItIsIllConditioned) {
  RandomStream randomness(6, "data");
  const auto draw = draw_features(30, 3, RandomStream(1, "features"));
  const Hyperparameters fit{Vector::Constant(3, 6), 1e-10, Vector::Constant(1, 1e-3)};
  const BayesianLinearModel before(draw, fit, {Vector::Zero(1), Vector::Ones(1)});
  OnlineRegression online{Regression(before)};
  std::vector<Vector> inputs, changes;
  for (int t = 0; t < repeats(3000, 1000000); ++t) {
    inputs.push_back(0.5 * drawn(randomness, 3));
    changes.push_back(
        Vector::Constant(1, std::sin(inputs.back().sum()) + 1e-3 * randomness.normal()));
    online.learn(inputs.back(), changes.back());
  }
  online.solve();
  const Matrix weights = batch_weights(before, inputs, changes);
  for (int i = 0; i < 20; ++i) {
    const Vector point = 0.5 * drawn(randomness, 3);
    Matrix phi;
    before.features.evaluate(point, phi);
    const Prediction told = online.regression.predict(point);
    EXPECT_NEAR(told.mean(0, 0), weights.col(0).dot(phi.col(0)),
                1e-3 * std::sqrt(told.epistemic(0, 0)));
  }
}

// Weights that were found otherwise, such as by whole trajectories, are what it goes on from.
TEST(OnlineRegression, GoesOnFromTheWeightsThatThereAre) {
  Regression regression = random_separate_model(16, 3, 1, 3);
  for (OutputGroup& group : regression.groups) group.posterior.weights.array() += 0.25;
  OnlineRegression online(regression);
  online.solve();
  for (std::size_t g = 0; g < regression.groups.size(); ++g)
    EXPECT_LT(
        (online.regression.groups[g].posterior.weights - regression.groups[g].posterior.weights)
            .norm(),
        1e-9);
}

TEST(OnlineRegression, RefusesWhatIsNotFinite) {
  OnlineRegression online{Regression(random_model(20, 2, 1, 4))};
  const Matrix before = online.regression.groups[0].posterior.factor;
  EXPECT_THROW(online.learn(Vector::Constant(3, std::nan("")), Vector::Zero(2)), InputError);
  EXPECT_EQ(online.regression.groups[0].posterior.factor, before);
}

}  // namespace
}  // namespace rhc
