#include "rhc/explore/bonus.h"

#include <gtest/gtest.h>

#include "rhc/model/information.h"

namespace rhc {
namespace {

BayesianLinearModel make_belief(bool with_data) {
  const FourierFeatures draw = draw_features(25, 3, RandomStream(1, "features"));
  BayesianLinearModel belief(draw, {Vector::Constant(3, 1.5), 0.1, Vector::Constant(2, 0.05)},
                             {Vector{{0.1, -0.2}}, Vector{{0.5, 2.0}}});
  RandomStream randomness(2, "data");
  if (with_data)
    belief.learn({Matrix::NullaryExpr(3, 10, [&] { return randomness.normal(); }),
                  Matrix::NullaryExpr(2, 10, [&] { return randomness.normal(); })});
  return belief;
}

struct Step {
  Vector observation, action, next;
};

std::vector<Step> steps(int count) {
  RandomStream randomness(3, "steps");
  std::vector<Step> all;
  for (int i = 0; i < count; ++i)
    all.push_back({randomness.normals(2), randomness.normals(1), randomness.normals(2)});
  return all;
}

TEST(Bonus, OfPredictionErrorIsItsSquareUnderTheBeliefBeforeTheEpisode) {
  const BayesianLinearModel belief = make_belief(true);
  BonusMeter meter(Bonus::prediction_error, belief);
  for (const Step& s : steps(5)) {
    Vector input(3);
    input << s.observation, s.action;
    const Vector error = s.next - s.observation - belief.predict(input).mean;
    EXPECT_NEAR(meter.worth(s.observation, s.action, s.next), error.squaredNorm(), 1e-12);
  }
}

TEST(Bonus, OfInformationAddsUpToThatOfTheEpisode) {
  const BayesianLinearModel belief = make_belief(true);
  BonusMeter meter(Bonus::information_gain, belief);
  Matrix inputs(3, 30);
  double sum = 0;
  const std::vector<Step> all = steps(30);
  for (std::size_t t = 0; t < all.size(); ++t) {
    inputs.col(static_cast<Index>(t)) << all[t].observation, all[t].action;
    sum += meter.worth(all[t].observation, all[t].action, all[t].next);
  }
  EXPECT_NEAR(sum, information(belief, inputs), 1e-8);
}

TEST(Bonus, OfInformationIsTheFallOfTheParametersEntropy) {
  BayesianLinearModel belief = make_belief(true);
  BonusMeter meter(Bonus::information_gain, belief);
  for (const Step& s : steps(5)) {
    const double before = belief.parameter_entropy();
    Transitions transition{Matrix(3, 1), s.next - s.observation};
    transition.inputs << s.observation, s.action;
    belief.learn(transition);
    EXPECT_NEAR(meter.worth(s.observation, s.action, s.next), before - belief.parameter_entropy(),
                1e-8);
  }
}

TEST(Bonus, OfInformationFallsWhenTheSameIsSeenAgain) {
  BonusMeter meter(Bonus::information_gain, make_belief(false));
  const Step s = steps(1)[0];
  const double first = meter.worth(s.observation, s.action, s.next);
  EXPECT_LT(meter.worth(s.observation, s.action, s.next), 0.2 * first);
}

TEST(Bonus, PriorIsTheBeliefThatHasSeenNothing) {
  const BayesianLinearModel prior = Regression(make_belief(true)).prior().groups[0].posterior,
                            expected = make_belief(false);
  EXPECT_EQ(prior.factor, expected.factor);
  EXPECT_EQ(prior.weights, expected.weights);
  EXPECT_EQ(prior.features.bandwidth, expected.features.bandwidth);
  EXPECT_EQ(prior.count, 0);
}

}  // namespace
}  // namespace rhc
