#include "rhc/core/types.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rhc {
namespace {

TEST(Box, ClipsToItsBounds) {
  const Box box{Eigen::Vector2d(-1, 0), Eigen::Vector2d(1, kInfinity)};
  EXPECT_EQ(box.clip(Eigen::Vector2d(-3, 7)), Eigen::Vector2d(-1, 7));
}

TEST(Box, NamesTheFirstCoordinateOutside) {
  const Box box{Eigen::Vector3d(-1, -1, -1), Eigen::Vector3d(1, 1, 1)};
  EXPECT_EQ(box.first_outside(Eigen::Vector3d(0, 2, 3)), 1);
  EXPECT_EQ(box.first_outside(Eigen::Vector3d(1, -1, 1)), -1) << "the bounds belong to the box";
}

TEST(Box, HasNoPlaceForNan) {
  EXPECT_FALSE(Box::unbounded(2).contains(Eigen::Vector2d(0, std::nan(""))));
  EXPECT_TRUE(Box::unbounded(2).contains(Eigen::Vector2d(1e308, -1e308)));
}

Trajectory walk() {
  Trajectory t{Matrix(1, 4), Matrix(1, 3)};
  t.observations << 0, 1, 3, 9;
  t.actions << 10, 20, 30;
  return t;
}

TEST(TransitionsOf, PairsInputsWithDifferences) {
  const Transitions data = transitions_of(walk(), Box::unbounded(1));
  Matrix inputs(2, 3), outputs(1, 3);
  inputs << 0, 1, 3, 10, 20, 30;
  outputs << 1, 2, 6;
  EXPECT_EQ(data.inputs, inputs);
  EXPECT_EQ(data.outputs, outputs);
}

TEST(TransitionsOf, LeavesOutTheStepOverTheLimit) {
  const Box limits{Vector::Constant(1, -5), Vector::Constant(1, 5)};
  EXPECT_EQ(transitions_of(walk(), limits).count(), 2);
  EXPECT_EQ(steps_inside(walk(), limits), 2);
}

TEST(Concatenate, KeepsTheOrder) {
  const Transitions one = transitions_of(walk(), Box::unbounded(1));
  const Transitions both = concatenate({one, one});
  ASSERT_EQ(both.count(), 6);
  EXPECT_EQ(both.inputs.rightCols(3), one.inputs);
  EXPECT_EQ(both.outputs.leftCols(3), one.outputs);
  EXPECT_EQ(concatenate({}).count(), 0);
}

}  // namespace
}  // namespace rhc
