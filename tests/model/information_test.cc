#include "rhc/model/information.h"

#include <gtest/gtest.h>

#include "rhc/model/fit_model.h"
#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

TEST(Information, IsTheDropOfTheEntropyWhenTheDataAreLearned) {
  const auto draw = draw_features(40, 4, RandomStream(1, "features"));
  // Noise keeps the precision well conditioned, so that both ways round alike.
  const NoiseLevels noise{Vector::Constant(3, 0.05), {}};
  const Transitions seen = explore_at_random(Pendulum{}, noise, 1, 1);
  const Transitions next = explore_at_random(Pendulum{}, noise, 1, 2);
  BayesianLinearModel model = fit_model(draw, seen, {.starts = 4}).model;
  const double before = model.parameter_entropy(), promised = information(model, next.inputs);
  model.learn(next);
  EXPECT_NEAR(promised, before - model.parameter_entropy(), 1e-7 * std::abs(before));
}

TEST(Information, IsNothingWithoutInputs) {
  const auto draw = draw_features(20, 4, RandomStream(1, "features"));
  const BayesianLinearModel model =
      fit_model(draw, explore_at_random(Pendulum{}, {}, 1, 1), {.starts = 2}).model;
  EXPECT_EQ(information(model, Matrix(4, 0)), 0);
}

}  // namespace
}  // namespace rhc
