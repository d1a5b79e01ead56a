#include "rhc/system/known_motion.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rhc {
namespace {

// An angle, its speed, and a position with a speed in other units.
KnownMotion turning_and_sliding() {
  return kinematics({{.speed = 2, .position = 0, .sine = 1},
                     {.speed = 4, .position = 3, .sine = -1, .per_second = 1000}},
                    1, 0.1);
}

Vector seen_at(double angle, double angular, double position, double speed) {
  Vector observation(5);
  observation << std::cos(angle), std::sin(angle), angular, position, speed;
  return observation;
}

TEST(Kinematics, IsTheMotionAtConstantSpeed) {
  const Vector from = seen_at(0.7, 2, 5, 0.03);
  const Vector expected = seen_at(0.7 + 0.1 * 2, 2, 5 + 0.1 * 1000 * 0.03, 0.03);
  const Vector change = turning_and_sliding().change(from, Vector::Zero(1));
  EXPECT_LT((from + change - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(KnownMotion, HasTheJacobianOfItsFormula) {
  const double c = std::cos(0.7), s = std::sin(0.7), w = 2, turn = 0.1 * w;
  const Matrix J =
      jacobian_of_known(turning_and_sliding(), seen_at(0.7, w, 5, 0.03), Vector::Zero(1));
  Matrix expected = Matrix::Zero(5, 6);
  expected.topLeftCorner(2, 3) << std::cos(turn) - 1, -std::sin(turn),
      0.1 * (-c * std::sin(turn) - s * std::cos(turn)), std::sin(turn), std::cos(turn) - 1,
      0.1 * (-s * std::sin(turn) + c * std::cos(turn));
  expected(3, 4) = 100;
  EXPECT_LT((J - expected).cwiseAbs().maxCoeff(), 1e-7);
}

// With a history of 2: z = (o_t, o_{t-1}, a_{t-1}, a_t).
TEST(KnownMotion, IsTakenOffTheLastObservationAndTheLastAction) {
  const KnownMotion known{
      .change = [](const Vector& o, const Vector& a) { return Vector(2 * o + 10 * a); },
      .acted = 1};
  const Transitions data{Eigen::Vector4d(1, 20, 300, 5), Vector::Constant(1, 60)};
  EXPECT_EQ(left_to_learn(known, data).outputs(0, 0), 60 - 2 * 1 - 10 * 5);
  EXPECT_EQ(left_to_learn(known, data).inputs, data.inputs);
}

}  // namespace
}  // namespace rhc
