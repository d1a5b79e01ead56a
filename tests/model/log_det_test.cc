#include "rhc/model/log_det.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>

#include "rhc/model/information.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

Matrix normal_matrix(Index rows, Index cols, std::uint64_t seed) {
  RandomStream r(seed, "log det");
  Matrix Z(rows, cols);
  for (double& v : Z.reshaped()) v = r.normal();
  return Z;
}

// 1/2 log det(I + Z' Z) by the singular values of Z, which lose nothing to rounding.
double by_singular_values(const Matrix& Z) {
  return 0.5 * Eigen::JacobiSVD<Matrix>(Z).singularValues().array().square().log1p().sum();
}

Matrix gram_of(const Matrix& Z) { return Matrix::Identity(Z.cols(), Z.cols()) + Z.transpose() * Z; }

TEST(FactorizeGram, IsTheLogDetOfTheSingularValues) {
  for (int seed = 1; seed <= repeats(20, 200); ++seed) {
    const Matrix Z = normal_matrix(9, 6, static_cast<std::uint64_t>(seed));
    Matrix gram = gram_of(Z), transposed = gram_of(Z.transpose());
    const double expected = by_singular_values(Z);
    EXPECT_NEAR(factorize_gram(gram, Z), expected, 1e-10 * expected) << "seed " << seed;
    EXPECT_NEAR(factorize_gram(transposed, Z, true), expected, 1e-10 * expected) << "seed " << seed;
  }
}

// So large and so alike that their gram is not positive in rounded numbers.
TEST(FactorizeGram, HoldsWhereTheIdentityDrowns) {
  int failed = 0;
  for (int seed = 1; seed <= repeats(20, 200); ++seed) {
    const Matrix one = normal_matrix(40, 1, static_cast<std::uint64_t>(seed));
    const Matrix Z =
        1e7 * one.replicate(1, 25) + normal_matrix(40, 25, static_cast<std::uint64_t>(seed) + 1000);
    const double expected = by_singular_values(Z);
    for (const bool transposed : {false, true}) {
      Matrix gram = transposed ? gram_of(Z.transpose()) : gram_of(Z);
      if (Eigen::LLT<Matrix>(gram).info() == Eigen::Success) continue;
      ++failed;
      EXPECT_NEAR(factorize_gram(gram, Z, transposed), expected, 1e-4 * expected)
          << "seed " << seed << (transposed ? " transposed" : "");
      EXPECT_TRUE((gram.diagonal().array() > 0).all());
      EXPECT_TRUE(gram.isLowerTriangular(0));
    }
  }
  EXPECT_GT(failed, 10) << "else this shows nothing";
}

// A hundred and thirty looks at one point tell what one precise look tells, however vague the
// prior: hundreds of nats were once announced here.
TEST(Information, OfManyEqualInputsIsThatOfASharpenedLook) {
  constexpr Index M = 500, looks = 130;
  const double prior = 1e-17;
  const Hyperparameters vague{Vector::Ones(2), prior, Vector::Ones(2)};
  const BayesianLinearModel model(draw_features(M, 2, RandomStream(1, "features")), vague,
                                  {Vector::Zero(2), Vector::Ones(2)});
  Matrix phi;
  const Vector point = Vector::Constant(2, 0.3);
  model.features.evaluate(point, phi);
  const double expected = 2 * 0.5 * std::log1p(looks * phi.squaredNorm() / prior);
  EXPECT_NEAR(information(model, point.replicate(1, looks)), expected, 1e-3 * expected);
}

}  // namespace
}  // namespace rhc
