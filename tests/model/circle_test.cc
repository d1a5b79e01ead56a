#include "rhc/model/circle.h"

#include <gtest/gtest.h>

namespace rhc {
namespace {

TEST(ProjectOnCircles, KeepsTheDirectionAndTheRest) {
  Vector point = Eigen::Vector4d(7, 3, -4, 1e-9);
  project_on_circles({{1, 2}}, point);
  EXPECT_EQ(point, Eigen::Vector4d(7, 0.6, -0.8, 1e-9));
}

TEST(Circle, StaysFiniteInItsCentre) {
  const Circle centre(0, 0);
  EXPECT_EQ(centre.length, Circle::kLeastLength);
  EXPECT_EQ(centre.c, 0);
  EXPECT_EQ(centre.s, 0);
}

}  // namespace
}  // namespace rhc
