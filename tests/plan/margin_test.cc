#include "rhc/plan/margin.h"

#include <gtest/gtest.h>

namespace rhc {
namespace {

TEST(FirstBreach, IsTheFirstInTime) {
  Forecast forecast{Matrix::Zero(2, 4), Matrix::Constant(2, 4, 0.1), Matrix::Zero(1, 3)};
  const Box limits{Vector::Constant(2, -1), Vector::Constant(2, 1)};
  EXPECT_FALSE(first_breach(forecast, limits, 3));
  forecast.mean(1, 2) = 0.8;
  forecast.mean(0, 3) = -2;
  const auto breach = first_breach(forecast, limits, 3);
  ASSERT_TRUE(breach);
  EXPECT_EQ(breach->step, 2);
  EXPECT_EQ(breach->observation, 1);
  EXPECT_NEAR(breach->value, 1.1, 1e-12);
}

TEST(MarginOf, LeavesRoomBetweenTheLimits) {
  const Forecast forecast{Matrix::Zero(2, 3), Matrix::Constant(2, 3, 0.1), Matrix::Zero(1, 2)};
  const Box limits{Eigen::Vector2d(-0.2, -kInfinity), Eigen::Vector2d(0.2, kInfinity)};
  const Matrix margin = margin_of(forecast, limits, 3);
  EXPECT_NEAR(margin(0, 0), 0.45 * 0.4, 1e-12);
  EXPECT_NEAR(margin(1, 1), 0.3, 1e-12);
}

}  // namespace
}  // namespace rhc
