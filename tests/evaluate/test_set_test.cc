#include "rhc/evaluate/test_set.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/registry.h"

namespace rhc {
namespace {

TEST(TestSet, StaysInsideTheLimits) {
  for (const std::string& name : system_names()) {
    const System system = make_system(name);
    const TestSet set = draw_test_set(system, {}, 500, 10, 1);
    ASSERT_EQ(set.count(), 500);
    ASSERT_EQ(set.steps(), 10);
    for (const Matrix& block : set.observations)
      for (Index i = 0; i < block.cols(); ++i)
        EXPECT_TRUE(system.spec().limits.contains(block.col(i)));
  }
}

TEST(TestSet, FollowsTheSystem) {
  const System system = make_system("mountain-car");  // its state is what is observed
  const TestSet set = draw_test_set(system, {}, 50, 4, 1);
  for (std::size_t t = 0; t < 4; ++t)
    for (Index i = 0; i < 50; ++i)
      EXPECT_EQ(set.observations[t + 1].col(i),
                system.step(set.observations[t].col(i), set.actions[t].col(i)));
}

TEST(TestSet, IsTheSameOnAnyNumberOfThreadsAndForAnyCount) {
  const System system = make_system("cartpole");
  const TestSet one = draw_test_set(system, {}, 700, 3, 1),
                four = draw_test_set(system, {}, 700, 3, 4);
  const TestSet fewer = draw_test_set(system, {}, 20, 3, 1);
  for (std::size_t t = 0; t <= 3; ++t) {
    EXPECT_EQ(one.observations[t], four.observations[t]);
    EXPECT_EQ(one.observations[t].leftCols(20), fewer.observations[t]);
  }
}

TEST(TestSet, StartsUniformlyOverTheRegion) {
  const System system = make_system("pendulum");
  const Matrix speed = draw_test_set(system, {}, 4000, 1, 1).observations[0].row(2);
  EXPECT_NEAR(speed.mean(), 0, 0.3);
  EXPECT_NEAR(std::sqrt(speed.squaredNorm() / 4000), 8 / std::sqrt(3.0), 0.15);
}

TEST(TestSet, CarriesTheNoiseOfTheSystem) {
  const System system = make_system("pendulum");
  const TestSet clean = draw_test_set(system, {}, 1000, 2, 1);
  const TestSet noisy = draw_test_set(system, {Vector::Constant(3, 0.1), {}}, 1000, 2, 1);
  const Matrix difference = noisy.observations[1] - clean.observations[1];
  EXPECT_NEAR(std::sqrt(difference.squaredNorm() / 3000), 0.1, 0.01);
}

TEST(TestSet, GivesUpOnARegionWithoutTrajectories) {
  struct Stuck : Cartpole {
    SystemSpec spec() const {
      SystemSpec s = Cartpole::spec();
      s.region.lower[0] = s.region.upper[0] = 3;  // beyond the rail
      return s;
    }
  };
  EXPECT_THROW(draw_test_set(Stuck{}, {}, 1, 1, 1), InputError);
}

TEST(UniformTransitions, AreOthersThanTheTestSets) {
  const System system = make_system("pendulum");
  const Transitions data = draw_uniform_transitions(system, {}, 30);
  const TestSet set = draw_test_set(system, {}, 30, 1, 1);
  EXPECT_EQ(data.count(), 30);
  EXPECT_GT((data.inputs.topRows(3) - set.observations[0]).cwiseAbs().minCoeff(), 1e-9);
}

}  // namespace
}  // namespace rhc
