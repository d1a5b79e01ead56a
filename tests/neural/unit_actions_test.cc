#include "rhc/neural/unit_actions.h"

#include <gtest/gtest.h>

namespace rhc {
namespace {

TEST(UnitActions, MapBoundsToBoundsAndBack) {
  const Box bounds{Vector{{-2, 1}}, Vector{{4, 3}}};
  EXPECT_EQ(from_unit(Vector{{-1, 1}}, bounds), (Vector{{-2, 3}}));
  EXPECT_EQ(from_unit(Vector{{0, 0}}, bounds), (Vector{{1, 2}}));
  EXPECT_EQ(to_unit(bounds.upper, bounds), (Vector{{1, 1}}));
  const Vector action{{0.3, 2.9}};
  EXPECT_LT((from_unit(to_unit(action, bounds), bounds) - action).norm(), 1e-14);
}

}  // namespace
}  // namespace rhc
