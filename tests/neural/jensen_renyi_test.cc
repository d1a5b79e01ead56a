#include "rhc/neural/jensen_renyi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace rhc {
namespace {

double gaussian(double x, double mean, double variance) {
  return std::exp(-(x - mean) * (x - mean) / (2 * variance)) /
         std::sqrt(2 * std::numbers::pi * variance);
}

// -log of the integral of p^2 over a square of `dimensions`, by the midpoint rule.
double quadratic_entropy(const std::function<double(double, double)>& density, int dimensions) {
  constexpr int kCells = 600;
  constexpr double kFrom = -12, kTo = 12, kWidth = (kTo - kFrom) / kCells;
  double sum = 0;
  for (int i = 0; i < kCells; ++i)
    for (int j = 0; j < (dimensions == 2 ? kCells : 1); ++j) {
      const double p = density(kFrom + (i + 0.5) * kWidth, kFrom + (j + 0.5) * kWidth);
      sum += p * p * (dimensions == 2 ? kWidth * kWidth : kWidth);
    }
  return -std::log(sum);
}

// By numerical integration; entries are members x dimensions.
double by_integral(const Matrix& means, const Matrix& variances) {
  const auto component = [&](Index i, double x, double y) {
    const double p = gaussian(x, means(i, 0), variances(i, 0));
    return means.cols() == 1 ? p : p * gaussian(y, means(i, 1), variances(i, 1));
  };
  const auto dimensions = static_cast<int>(means.cols());
  const auto members = static_cast<double>(means.rows());
  double parts = 0;
  for (Index i = 0; i < means.rows(); ++i)
    parts += quadratic_entropy([&](double x, double y) { return component(i, x, y); }, dimensions);
  return quadratic_entropy(
             [&](double x, double y) {
               double p = 0;
               for (Index i = 0; i < means.rows(); ++i) p += component(i, x, y) / members;
               return p;
             },
             dimensions) -
         parts / members;
}

double at_one_point(const Matrix& means, const Matrix& variances) {
  const auto tensor = [](const Matrix& m) { return rows_of(m.transpose(), at::kCPU).unsqueeze(1); };
  return jensen_renyi(tensor(means), tensor(variances))[0].item<double>();
}

TEST(JensenRenyi, IsTheNumericalIntegralInOneDimension) {
  const Matrix means{{0.3}, {-1.5}, {2.0}}, variances{{0.5}, {1.5}, {0.2}};
  EXPECT_NEAR(at_one_point(means, variances), by_integral(means, variances), 1e-5);
}

TEST(JensenRenyi, IsTheNumericalIntegralInTwoDimensions) {
  RandomStream randomness(4, "mixtures");
  for (int i = 0; i < 5; ++i) {
    Matrix means(3, 2), variances(3, 2);
    for (Index k = 0; k < 6; ++k) {
      means.data()[k] = randomness.uniform(-3, 3);
      variances.data()[k] = randomness.uniform(0.2, 2);
    }
    EXPECT_NEAR(at_one_point(means, variances), by_integral(means, variances), 1e-5) << i;
  }
}

TEST(JensenRenyi, IsNothingWhereAllAgreeAndTheirNumberWhereNoneDo) {
  EXPECT_NEAR(at_one_point(Matrix::Constant(4, 3, 0.7), Matrix::Constant(4, 3, 0.2)), 0, 1e-6);
  const Matrix apart{{0.0}, {1e3}, {2e3}, {3e3}};
  EXPECT_NEAR(at_one_point(apart, Matrix::Constant(4, 1, 0.2)), std::log(4), 1e-5);
}

TEST(JensenRenyi, TakesEveryPointAlone) {
  RandomStream randomness(5, "points");
  const Tensor means = normals({4, 6, 3}, randomness, at::kCPU);
  const Tensor variances = normals({4, 6, 3}, randomness, at::kCPU).exp();
  const Tensor all = jensen_renyi(means, variances);
  for (Index p = 0; p < 6; ++p)
    EXPECT_NEAR(all[p].item<double>(),
                jensen_renyi(means.narrow(1, p, 1), variances.narrow(1, p, 1))[0].item<double>(),
                1e-5);
}

}  // namespace
}  // namespace rhc
