#include "rhc/describe/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace rhc {
namespace {

TEST(UnitRatio, KnowsTheUsualOnes) {
  EXPECT_EQ(unit_ratio("mm", "m"), 0.001);
  EXPECT_NEAR(unit_ratio("deg/s", "rad/s").value(), M_PI / 180, 1e-17);
  EXPECT_NEAR(unit_ratio("mm/s^2", "m/s2").value(), 1e-3, 1e-18);
  EXPECT_EQ(unit_ratio("widgets", "widgets"), 1);
  EXPECT_EQ(unit_ratio("widgets", "m"), std::nullopt);
  EXPECT_EQ(unit_ratio("m", "s"), std::nullopt);
}

}  // namespace
}  // namespace rhc
