#include "rhc/model/heavy_tails.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/model/fit_model.h"
#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

// Of the pendulum, with noise in what is measured of the changes.
Transitions noisy_changes(double noise) {
  Transitions data = explore_at_random(Pendulum{}, {}, 2, 7);
  RandomStream randomness(9, "noise of changes");
  for (double& value : data.outputs.reshaped()) value += noise * randomness.normal();
  return data;
}

BayesianLinearModel model_of(const Transitions& data) {
  // Some outputs are predicted with more noise than their weights have.
  const Index D = data.outputs.rows();
  BayesianLinearModel model(draw_features(25, 4, RandomStream(3, "features")),
                            {Eigen::Vector4d(1.5, 1.5, 4, 2), 1e-1, Vector::Constant(D, 0.1), 0,
                             Vector::LinSpaced(D, 0.1, 0.3)},
                            standardization_of(data.outputs));
  model.learn(data);
  return model;
}

// An output each, as a machine has them.
Regression of_each_output(const Transitions& data) {
  std::vector<OutputGroup> groups;
  for (Index j = 0; j < 3; ++j)
    groups.push_back({{j}, model_of({data.inputs, data.outputs.row(j), data.weights})});
  return Regression(std::move(groups));
}

TEST(LeftOut, IsTheSameWithAnyNumberOfThreads) {
  const Transitions data = noisy_changes(0.01);
  const Regression regression = of_each_output(data);
  const LeftOut one = left_out(regression, data, 1), three = left_out(regression, data, 3);
  EXPECT_EQ(three.off, one.off);
  EXPECT_EQ(three.deviation, one.deviation);
}

TEST(LeftOut, IsInterruptedBetweenOutputs) {
  Transitions data = noisy_changes(0.01);
  const Regression regression = of_each_output(data);
  data.inputs = data.inputs.replicate(1, 20).eval();
  data.outputs = data.outputs.replicate(1, 20).eval();
  int asked = 0;
  const StopSignal stop([&] { return ++asked == 2; });
  EXPECT_THROW(left_out(regression, data, 1, stop), Interrupted);
}

TEST(LeftOut, IsWhatAModelWithoutTheTransitionSays) {
  Transitions data = noisy_changes(0.01);
  data.weights = Vector::Ones(data.count());
  data.weights[3] = 0.2;
  const LeftOut all = left_out(Regression(model_of(data)), data);
  for (const Index t : {Index{0}, Index{3}, data.count() - 1}) {
    std::vector<Index> others;
    for (Index i = 0; i < data.count(); ++i)
      if (i != t) others.push_back(i);
    Transitions rest{data.inputs(Eigen::all, others), data.outputs(Eigen::all, others),
                     data.weights(others)};
    BayesianLinearModel model = model_of(data);
    BayesianLinearModel without(model.features, model.hyperparameters(), model.outputs);
    without.learn(rest);
    const Prediction predicted = without.predict(data.inputs.col(t));
    for (Index j = 0; j < 3; ++j) {
      const double deviation = std::sqrt(predicted.epistemic(j, 0) + predicted.noise[j]);
      EXPECT_NEAR(all.deviation(j, t), deviation, 1e-6 * deviation);
      EXPECT_NEAR(all.off(j, t), (data.outputs(j, t) - predicted.mean(j, 0)) / deviation, 1e-5);
    }
  }
}

TEST(TailsOf, AreNotHeavyWhereNoiseIsNormal) {
  RandomStream randomness(5, "normal");
  for (int i = 0; i < 50; ++i) {
    Matrix off(2, 300);
    for (double& value : off.reshaped()) value = 3 * randomness.normal();
    EXPECT_FALSE(tails_of(off).freedom.array().isFinite().any()) << i;
  }
}

TEST(TailsOf, AreHeavyInTheOutputThatSomethingHit) {
  RandomStream randomness(5, "normal");
  Matrix off(2, 300);
  for (double& value : off.reshaped()) value = 3 * randomness.normal();
  off(1, 20) = 600;
  off(1, 21) = -400;
  const Tails tails = tails_of(off);
  EXPECT_EQ(tails.freedom[0], kInfinity);
  EXPECT_LT(tails.freedom[1], kInfinity);
  EXPECT_NEAR(tails.scale[1], 3, 1);
  const Vector weights = weights_by(tails, off);
  EXPECT_LT(weights[20], 0.01);
  EXPECT_LT(weights[21], 0.01);
  EXPECT_EQ(weights.head(20), Vector::Ones(20));
  // What follows is set aside as well.
  EXPECT_LT(weights[22], 0.01);
  EXPECT_EQ(weights.tail(277), Vector::Ones(277));
}

}  // namespace
}  // namespace rhc
