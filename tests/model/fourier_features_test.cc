#include "rhc/model/fourier_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rhc {
namespace {

FourierFeatures features() {
  FourierFeatures f = draw_features(17, 3, RandomStream(4, "features"));
  f.bandwidth = Eigen::Vector3d(0.5, 2, 30);
  return f;
}

Matrix points(Index count) {
  RandomStream randomness(5, "points");
  Matrix z(3, count);
  for (double& v : z.reshaped()) v = randomness.uniform(-2, 2);
  return z;
}

TEST(FourierFeatures, AreTheSinesOfThePaper) {
  const FourierFeatures f = features();
  const Matrix z = points(9);
  Matrix phi, again, cosine;
  f.evaluate(z, phi);
  f.evaluate(z, again, cosine);
  EXPECT_EQ(phi, again);
  for (Index t = 0; t < z.cols(); ++t)
    for (Index i = 0; i < f.count(); ++i) {
      double argument = f.phase[i];
      for (Index j = 0; j < 3; ++j) argument += f.P(i, j) * z(j, t) / f.bandwidth[j];
      EXPECT_NEAR(phi(i, t), std::sin(argument), 1e-14);
      EXPECT_NEAR(cosine(i, t), std::cos(argument), 1e-14);
    }
}

TEST(FourierFeatures, CosinesTimesFrequenciesAreTheDerivatives) {
  const FourierFeatures f = features();
  const Matrix z = points(1), Q = f.frequencies();
  Matrix phi, cosine, plus, minus;
  f.evaluate(z, phi, cosine);
  for (Index j = 0; j < 3; ++j) {
    const double h = 1e-6;
    Matrix up = z, down = z;
    up(j, 0) += h;
    down(j, 0) -= h;
    f.evaluate(up, plus);
    f.evaluate(down, minus);
    const Vector numeric = (plus - minus) / (2 * h);
    EXPECT_LT((numeric - cosine.col(0).cwiseProduct(Q.col(j))).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST(DrawFeatures, HasTheRightDistribution) {
  const FourierFeatures f = draw_features(5000, 2, RandomStream(6, "features"));
  EXPECT_NEAR(f.P.mean(), 0, 0.04) << "seed 6";
  EXPECT_NEAR(f.P.squaredNorm() / 10000, 1, 0.05);
  EXPECT_NEAR(f.phase.mean(), 0, 0.08);
  EXPECT_LT(f.phase.maxCoeff(), std::numbers::pi);
  EXPECT_GE(f.phase.minCoeff(), -std::numbers::pi);
}

// The inner product of features approximates half a Gaussian kernel of that bandwidth.
TEST(DrawFeatures, ApproximatesTheGaussianKernel) {
  const FourierFeatures f = draw_features(20000, 1, RandomStream(7, "features"));
  Matrix z(1, 2), phi;
  for (const double distance : {0.0, 0.5, 1.5}) {
    z << 0.3, 0.3 + distance;
    f.evaluate(z, phi);
    EXPECT_NEAR(2 * phi.col(0).dot(phi.col(1)) / 20000, std::exp(-0.5 * distance * distance), 0.02);
  }
}

TEST(MeanPairwiseDistance, EqualsTheSumOverAllPairs) {
  const Matrix z = points(40);
  const Vector got = mean_pairwise_distance(z);
  for (Index j = 0; j < 3; ++j) {
    double sum = 0;
    for (Index a = 0; a < 40; ++a)
      for (Index b = 0; b < a; ++b) sum += std::abs(z(j, a) - z(j, b));
    EXPECT_NEAR(got[j], sum / (40 * 39 / 2), 1e-13);
  }
}

TEST(MeanPairwiseDistance, IsOneForAnInputThatNeverVaries) {
  EXPECT_EQ(mean_pairwise_distance(Matrix::Constant(2, 10, 0.7)), Vector::Ones(2));
  EXPECT_EQ(mean_pairwise_distance(Matrix::Constant(2, 1, 0.7)), Vector::Ones(2));
}

}  // namespace
}  // namespace rhc
