#include "rhc/evaluate/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/evaluate/scores.h"
#include "tests/plan/random_model.h"

namespace rhc {
namespace {

constexpr Index kPoints = 4000, kOutputs = 2;

// What happens where the belief is right up to this factor of its deviations.
Transitions truths(const BayesianLinearModel& model, double factor, std::uint64_t seed) {
  RandomStream randomness(seed, "truths");
  Transitions truth{Matrix(kOutputs + 1, kPoints), Matrix(kOutputs, kPoints)};
  for (double& v : truth.inputs.reshaped()) v = randomness.uniform(-3, 3);
  const Prediction prediction = model.predict(truth.inputs);
  for (Index t = 0; t < kPoints; ++t)
    for (Index j = 0; j < kOutputs; ++j)
      truth.outputs(j, t) =
          prediction.mean(j, t) + factor * randomness.normal() *
                                      std::sqrt(prediction.epistemic(j, t) + prediction.noise[j]);
  return truth;
}

Vector many_levels() { return Vector::LinSpaced(19, 0.05, 0.95); }

// Four standard deviations of a share of that many independent truths.
double sampling_error(double level) {
  return 4 * std::sqrt(level * (1 - level) / static_cast<double>(kPoints * kOutputs));
}

class Coverage : public testing::TestWithParam<std::uint64_t> {
 protected:
  const BayesianLinearModel model_ = random_model(20, kOutputs, 1, GetParam());
};

TEST_P(Coverage, OfABeliefThatIsRightIsTheLevel) {
  const Vector levels = many_levels();
  const Vector shares = coverage(model_, truths(model_, 1, GetParam()), levels);
  for (Index i = 0; i < levels.size(); ++i)
    EXPECT_NEAR(shares[i], levels[i], sampling_error(levels[i])) << "seed " << GetParam();
}

// Truths three times as far away as believed: a central interval reaches a third as far.
TEST_P(Coverage, OfAnOverconfidentBeliefIsLowerByAsMuchAsItsReachIsTooShort) {
  const Vector levels = many_levels();
  const Vector shares = coverage(model_, truths(model_, 3, GetParam()), levels);
  for (Index i = 0; i < levels.size(); ++i) {
    const double expected = std::erf(normal_quantile(0.5 + levels[i] / 2) / 3 / std::sqrt(2));
    EXPECT_LT(shares[i], levels[i]) << "seed " << GetParam();
    EXPECT_NEAR(shares[i], expected, sampling_error(expected)) << "seed " << GetParam();
  }
}

TEST_P(Coverage, GrowsWithTheLevel) {
  const Vector shares = coverage(model_, truths(model_, 1.5, GetParam()), many_levels());
  for (Index i = 1; i < shares.size(); ++i) EXPECT_GE(shares[i], shares[i - 1]);
}

TEST_P(Coverage, AgreesWithTheScoresOnTheSameData) {
  const Transitions truth = truths(model_, 1.3, GetParam());
  TestSet set;
  set.observations = {truth.inputs.topRows(kOutputs),
                      truth.inputs.topRows(kOutputs) + truth.outputs};
  set.actions = {truth.inputs.bottomRows(1)};
  set.output_scale = Vector::Ones(kOutputs);
  EXPECT_DOUBLE_EQ(coverage(model_, truth, Vector::Constant(1, 0.95))[0],
                   score(model_, set, 1).coverage95);
}

TEST_P(Coverage, IsNothingAtLevelZeroAndAllAtLevelOne) {
  const Vector shares = coverage(model_, truths(model_, 2, GetParam()), Eigen::Vector2d(0, 1));
  EXPECT_EQ(shares[0], 0);
  EXPECT_EQ(shares[1], 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Coverage, testing::Values(1, 2, 3));

}  // namespace
}  // namespace rhc
