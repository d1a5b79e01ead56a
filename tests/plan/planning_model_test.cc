#include "rhc/plan/planning_model.h"

#include <gtest/gtest.h>

#include "tests/plan/random_model.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

Matrix random_inputs(Index rows, std::uint64_t seed) {
  RandomStream r(seed, "inputs");
  Matrix inputs(rows, 9);
  for (double& v : inputs.reshaped()) v = r.uniform(-2, 2);
  return inputs;
}

// sin(Q z + phase), one number at a time.
Matrix features_of(const PlanningModel& belief, const Matrix& inputs) {
  return ((belief.Q * inputs).colwise() + belief.phase).array().sin();
}

TEST(PlanningModel, PredictsAsTheModel) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    const BayesianLinearModel model = random_model(30, 3, 2, static_cast<std::uint64_t>(seed));
    const PlanningModel belief = planned(model);
    const Matrix inputs = random_inputs(5, static_cast<std::uint64_t>(seed));
    const Matrix mean =
        (belief.W.transpose() * features_of(belief, inputs)).colwise() + belief.offset;
    EXPECT_LT((mean - model.predict(inputs).mean).norm(), 1e-12) << "seed " << seed;
  }
}

TEST(PlanningModel, IsAsSureAsTheModel) {
  for (int seed = 1; seed <= repeats(20, 500); ++seed) {
    const BayesianLinearModel model = random_model(30, 3, 2, static_cast<std::uint64_t>(seed));
    const PlanningModel belief = planned(model);
    const Matrix inputs = random_inputs(5, static_cast<std::uint64_t>(seed));
    const Prediction prediction = model.predict(inputs);
    const Matrix phi = features_of(belief, inputs);
    const Vector variance =
        (belief.doubts[0].inverse_factor * phi).colwise().squaredNorm().transpose();
    for (Index j = 0; j < 3; ++j)
      EXPECT_LT((variance.transpose() * prediction.noise[j] - prediction.epistemic.row(j)).norm(),
                1e-10 * prediction.epistemic.row(j).norm())
          << "seed " << seed;
  }
}

TEST(PlanningModel, InverseFactorIsLowerTriangular) {
  const PlanningModel belief = random_planning_model(30, 3, 2, 1);
  const Matrix upper = belief.doubts[0].inverse_factor.triangularView<Eigen::StrictlyUpper>();
  EXPECT_EQ(upper.norm(), 0);
}

TEST(PlanningModel, KnowsItsSizesAndAngles) {
  const PlanningModel belief = random_planning_model(30, 3, 2, 1, {{2, 0}});
  EXPECT_EQ(belief.features(), 30);
  EXPECT_EQ(belief.states(), 3);
  EXPECT_EQ(belief.actions(), 2);
  ASSERT_EQ(belief.angles.size(), 1U);
  EXPECT_EQ(belief.angles[0].cosine, 2);
  EXPECT_EQ(belief.angles[0].sine, 0);
}

}  // namespace
}  // namespace rhc
