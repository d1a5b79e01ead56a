#include "rhc/model/climb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rhc {
namespace {

const Bounds kWide{Vector::Constant(2, -10), Vector::Constant(2, 10)};

// A hill that is a hundred times as steep in one direction as in the other.
double hill(const Vector& theta, double* gradient) {
  if (gradient)
    Eigen::Map<Vector>(gradient, 2) = -2 * Eigen::Vector2d(theta[0] - 1, 100 * (theta[1] + 2));
  return 5 - std::pow(theta[0] - 1, 2) - 100 * std::pow(theta[1] + 2, 2);
}

TEST(Climb, EndsAtTheTop) {
  const Peak peak = climb(hill, kWide, Vector::Zero(2), 1e-12, 100);
  EXPECT_NEAR(peak.value, 5, 1e-9);
  EXPECT_NEAR(peak.theta[0], 1, 1e-5);
  EXPECT_NEAR(peak.theta[1], -2, 1e-5);
}

TEST(Climb, StaysInsideTheBounds) {
  const Bounds bounds{Eigen::Vector2d(-3, -1), Eigen::Vector2d(0.5, 3)};
  const Peak peak = climb(
      [&](const Vector& theta, double* gradient) {
        EXPECT_TRUE((theta.array() >= bounds.lower.array()).all() &&
                    (theta.array() <= bounds.upper.array()).all());
        return hill(theta, gradient);
      },
      bounds, Eigen::Vector2d(2, 2), 1e-12, 100);
  EXPECT_NEAR(peak.theta[0], 0.5, 1e-6);
  EXPECT_NEAR(peak.theta[1], -1, 1e-6);
}

TEST(Climb, LooksNoMoreOftenThanItMayAndKeepsTheBestPlace) {
  int looks = 0;
  double best = -kInfinity;
  const Peak peak = climb(
      [&](const Vector& theta, double* gradient) {
        ++looks;
        const double value = hill(theta, gradient);
        best = std::max(best, value);
        return value;
      },
      kWide, Eigen::Vector2d(9, 9), 1e-12, 4);
  EXPECT_LE(looks, 5);
  EXPECT_EQ(peak.value, best);
  EXPECT_EQ(hill(peak.theta, nullptr), best);
}

}  // namespace
}  // namespace rhc
