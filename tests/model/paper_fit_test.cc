#include "rhc/model/paper_fit.h"

#include <gtest/gtest.h>

#include "rhc/model/fit_model.h"
#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

TEST(PaperFit, KeepsNoiseAndPriorOfThePaper) {
  const auto draw = draw_features(30, 4, RandomStream(1, "features"));
  const Hyperparameters found =
      paper_fit(draw, explore_at_random(Pendulum{}, {}, 1, 1), {}).hyperparameters;
  EXPECT_EQ(found.prior_precision, 1e-8);
  EXPECT_EQ(found.noise, Vector::Ones(3));
}

TEST(PaperFit, LowersTheErrorOfUnitBandwidths) {
  const auto draw = draw_features(30, 4, RandomStream(2, "features"));
  const Transitions data = explore_at_random(Pendulum{}, {}, 2, 2);
  const Standardization raw{Vector::Zero(3), Vector::Ones(3)};
  const auto error = [&](const Hyperparameters& hyperparameters) {
    BayesianLinearModel model(draw, hyperparameters, raw);
    model.learn(data);
    const Prediction p = model.predict(data.inputs);
    return ((p.mean - data.outputs).array().square() / (p.epistemic.array() + 1)).sum();
  };
  const double before = error({Vector::Ones(4), 1e-8, Vector::Ones(3)});
  EXPECT_LT(error(paper_fit(draw, data, {}).hyperparameters), 0.9 * before);
}

TEST(PaperFit, IsWhatFitModelMakesOfThatRule) {
  const auto draw = draw_features(20, 4, RandomStream(3, "features"));
  const Transitions data = explore_at_random(Pendulum{}, {}, 1, 3);
  const FittedModel fitted = fit_model(draw, data, {.bandwidth = BandwidthRule::paper});
  EXPECT_EQ(fitted.model.outputs.scale, Vector::Ones(3)) << "raw units";
  EXPECT_TRUE(std::isfinite(fitted.fit.log_evidence));
}

}  // namespace
}  // namespace rhc
