#include "rhc/model/cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "rhc/core/error.h"
#include "rhc/core/random.h"

namespace rhc {
namespace {

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  RandomStream randomness(seed, "matrix");
  Matrix m(rows, cols);
  for (double& v : m.reshaped()) v = randomness.normal();
  return m;
}

TEST(CholeskyUpdate, FactorisesTheSum) {
  for (const Index size : {1, 2, 7, 40}) {
    const Matrix root = random_matrix(size, size + 3, 1);
    const Matrix A = root * root.transpose();
    const Vector x = random_matrix(size, 1, 2);
    Matrix L = A.llt().matrixL();
    Vector used = x;
    cholesky_update(L, used);
    EXPECT_LT((L * L.transpose() - A - x * x.transpose()).norm(), 1e-12 * A.norm()) << size;
    EXPECT_TRUE(L.isLowerTriangular());
  }
}

// From a prior precision of 1e-12 with rows of size 1: where forming A would lose it in rounding.
TEST(CholeskyUpdate, KeepsATinyPriorAlive) {
  const Index size = 30;
  Matrix L = Matrix::Identity(size, size) * 1e-6;
  const Matrix rows = random_matrix(size, 10, 3);
  for (int repeat = 0; repeat < 200; ++repeat)
    for (Index t = 0; t < 10; ++t) {
      Vector x = rows.col(t);
      cholesky_update(L, x);
    }
  EXPECT_GT(L.diagonal().minCoeff(), 0);
  // Only 10 of 30 directions were seen: the other 20 still have the prior's precision.
  const Matrix Q = rows.householderQr().householderQ();
  Vector unseen = Q.col(size - 1);
  solve_lower(L, unseen);
  EXPECT_NEAR(unseen.squaredNorm() * 1e-12, 1, 0.05);
}

// One panel, several, and a last one that is not full.
TEST(InvertPrecision, IsTheInverseOfTheProduct) {
  for (const Index size : {1, 7, 128, 129, 300}) {
    const Matrix root = random_matrix(size, size + 50, 6);
    const Matrix A = root * root.transpose(), L = A.llt().matrixL();
    Matrix inverse = random_matrix(3, 3, 7);
    invert_precision(L, inverse);
    const Matrix identity = Matrix::Identity(size, size);
    EXPECT_LT((A * inverse - identity).norm(), 1e-9 * identity.norm()) << size;
    EXPECT_LT((inverse - inverse.transpose()).norm(), 1e-12 * inverse.norm()) << size;
  }
}

TEST(InvertPrecision, IsInterruptedBetweenPanels) {
  const Matrix L = Matrix::Identity(600, 600);
  Matrix inverse;
  int asked = 0;
  EXPECT_THROW(invert_precision(L, inverse, StopSignal([&] { return ++asked == 7; })), Interrupted);
}

TEST(SolvePrecision, InvertsTheProduct) {
  const Matrix root = random_matrix(12, 20, 4), b = random_matrix(12, 3, 5);
  const Matrix A = root * root.transpose(), L = A.llt().matrixL();
  Matrix x = b;
  solve_precision(L, x);
  EXPECT_LT((A * x - b).norm(), 1e-11 * b.norm());
  Matrix half = b;
  solve_lower(L, half);
  EXPECT_NEAR(half.squaredNorm(), (b.transpose() * x).trace(), 1e-11);
}

}  // namespace
}  // namespace rhc
