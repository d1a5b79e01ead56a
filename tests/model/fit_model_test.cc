#include "rhc/model/fit_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

TEST(FitModel, PredictsTheDataItWasGiven) {
  const System system = make_system("pendulum");
  const Transitions data = explore_at_random(system, {}, 2, 1);
  const FourierFeatures draw = draw_features(90, 4, RandomStream(1, "features"));
  const FittedModel fitted = fit_model(draw, data, {});
  const Vector scale = standardization_of(data.outputs).scale;
  const Matrix error = fitted.model.predict(data.inputs).mean - data.outputs;
  EXPECT_LT((scale.cwiseInverse().asDiagonal() * error).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_EQ(fitted.model.count, data.count());
}

TEST(FitModel, KeepsTheDraw) {
  const Transitions data = explore_at_random(make_system("mountain-car"), {}, 1, 2);
  const FourierFeatures draw = draw_features(30, 3, RandomStream(2, "features"));
  const FittedModel fitted = fit_model(draw, data, {});
  EXPECT_EQ(fitted.model.features.P, draw.P);
  EXPECT_EQ(fitted.model.features.phase, draw.phase);
}

// The evidence is log p(data), which the belief also gives one transition after another.
TEST(FitModel, EvidenceIsTheProductOfOneStepAheadPredictions) {
  const Transitions data =
      explore_at_random(make_system("cartpole"), {Vector::Constant(5, 0.02), {}}, 1, 3);
  const FourierFeatures draw = draw_features(25, 6, RandomStream(3, "features"));
  const FittedModel fitted = fit_model(draw, data, {});
  BayesianLinearModel belief(draw, fitted.fit.hyperparameters, standardization_of(data.outputs));
  double sum = 0;
  for (Index t = 0; t < data.count(); ++t) {
    const Prediction p = belief.predict(data.inputs.col(t));
    for (Index j = 0; j < 5; ++j) {
      const double variance = p.epistemic(j, 0) + p.noise[j], e = data.outputs(j, t) - p.mean(j, 0);
      sum -= 0.5 * (std::log(2 * M_PI * variance) + e * e / variance);
    }
    belief.learn({data.inputs.col(t), data.outputs.col(t)});
  }
  EXPECT_NEAR(fitted.fit.log_evidence, sum, 1e-6 * std::abs(sum));
}

}  // namespace
}  // namespace rhc
