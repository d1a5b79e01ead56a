#include "rhc/describe/reference_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rhc/core/error.h"
#include "tests/rig.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

constexpr double kHalfTurn = std::numbers::pi;

Matrix reference_of(const std::string& text) {
  return parse_reference(text, "ref.csv", rig().system.spec());
}

std::string message_of_reference(const std::string& text) {
  return message_of<InputError>([&] { reference_of(text); });
}

double angle(const Matrix& reference, Index t) {
  return std::atan2(reference(1, t), reference(0, t));
}

TEST(Reference, IsARowAStepWithoutATime) {
  const Matrix reference = reference_of("thetadot,note\n1,7\n2,7\n4,7\n");
  ASSERT_EQ(reference.cols(), 3);
  EXPECT_EQ(reference.row(2), Eigen::RowVector3d(1, 2, 4));
  EXPECT_TRUE(reference.topRows(2).array().isNaN().all()) << "no column is about the angle";
}

// The time step is 0.08 s.
TEST(Reference, IsInterpolatedInTime) {
  const Matrix reference = reference_of("time [ms],thetadot [deg/s]\n80,0\n240,360\n");
  ASSERT_EQ(reference.cols(), 4);
  EXPECT_NEAR(reference(2, 0), 0, 1e-15) << "before the first row it holds";
  EXPECT_NEAR(reference(2, 1), 0, 1e-15);
  EXPECT_NEAR(reference(2, 2), kHalfTurn, 1e-12);
  EXPECT_NEAR(reference(2, 3), 2 * kHalfTurn, 1e-12);
}

TEST(Reference, TurnsAnglesAsOftenAsItSays) {
  // Two turns in 1.6 s: at step 5, a half.
  const Matrix turns = reference_of("time,theta [deg]\n0,0\n1.6,720\n");
  ASSERT_EQ(turns.cols(), 21);
  EXPECT_NEAR(turns(0, 5), -1, 1e-12);
  EXPECT_NEAR(turns(0, 10), 1, 1e-12);
  EXPECT_NEAR(turns(0, 15), -1, 1e-12);
}

TEST(Reference, GoesOnWhereALoggerWrappedAnAngle) {
  // From 170 to 190 degrees within a step and a half, written as -170.
  const Matrix wrapped = reference_of("time,theta [deg]\n0,170\n0.12,-170\n0.24,-150\n");
  const double there = (170 + 20 * 0.08 / 0.12) / 180 * kHalfTurn;
  EXPECT_NEAR(angle(wrapped, 1), there - 2 * kHalfTurn, 1e-12);
}

TEST(Reference, TakesCosineAndSine) {
  const Matrix reference = reference_of("time,cos_theta,sin_theta\n0,1,0\n0.16,0,1\n");
  EXPECT_NEAR(angle(reference, 1), kHalfTurn / 4, 1e-12);
  EXPECT_NE(message_of_reference("cos_theta\n1\n").find("no column 'sin_theta'"),
            std::string::npos);
  EXPECT_NE(message_of_reference("cos_theta,sin_theta\n1,1\n").find("not on a circle"),
            std::string::npos);
}

TEST(Reference, SaysWhereItCannotBeUsed) {
  EXPECT_EQ(message_of_reference("tetha\n1\n"),
            "ref.csv: no column is about what 'rig' observes (theta, cos_theta, sin_theta, "
            "thetadot)");
  EXPECT_EQ(message_of_reference("time,thetadot\n0,1\n0,2\n"),
            "ref.csv:3: column 'time': the time does not go on; put the rows into order");
  EXPECT_EQ(message_of_reference("time,thetadot\n-1,1\n0,2\n"),
            "ref.csv:2: column 'time': the time counts from the first step of the plan, 0");
  EXPECT_NE(
      message_of_reference("time,thetadot\n1700000000,1\n").find("more than 1e+06 time steps"),
      std::string::npos);
  EXPECT_EQ(message_of_reference("thetadot\n1\nx\n"),
            "ref.csv:3: column 'thetadot': 'x' is not a finite number");
  EXPECT_NE(message_of_reference("thetadot [m]\n1\n").find("is in 'm', but the system measures"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
