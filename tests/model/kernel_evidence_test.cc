#include "rhc/model/kernel_evidence.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

namespace rhc {
namespace {

struct KernelCase {
  FourierFeatures draw;
  Matrix inputs, outputs, region;
  Vector log_bandwidth, noise;
  double log_prior, log_affine;
  Vector root_weights{};
};

KernelCase kernel_case(std::uint64_t seed) {
  RandomStream r(seed, "kernel case");
  const Index n = 1 + static_cast<Index>(r.below(5)), D = 1 + static_cast<Index>(r.below(3));
  const Index N = 2 + static_cast<Index>(r.below(30));
  KernelCase c{draw_features(1, n, RandomStream(seed, "features")),
               Matrix(n, N),
               Matrix(D, N),
               Matrix(n, 6),
               Vector(n),
               Vector(D),
               r.uniform(-4, 1),
               r.uniform(-3, 3)};
  if (seed % 2 == 0) {
    c.draw.centre = r.normals(n);
    c.draw.scale = r.normals(n).cwiseAbs() + Vector::Constant(n, 0.1);
  }
  for (double& v : c.inputs.reshaped()) v = r.uniform(-2, 2);
  for (double& v : c.outputs.reshaped()) v = r.normal();
  for (double& v : c.region.reshaped()) v = r.uniform(-4, 4);
  for (double& v : c.log_bandwidth) v = r.uniform(-1, 1);
  for (double& v : c.noise) v = std::exp(r.uniform(-2, 1));
  if (seed % 3 == 0) {
    c.root_weights.resize(N);
    for (double& v : c.root_weights) v = r.uniform(0.1, 1);
  }
  return c;
}

double kernel(const KernelCase& c, const Vector& a, const Vector& b) {
  double squares = 0;
  for (Index j = 0; j < a.size(); ++j)
    squares += std::pow((a[j] - b[j]) / std::exp(c.log_bandwidth[j]), 2);
  double sum = 0.5 * std::exp(-c.log_prior - 0.5 * squares);
  if (c.draw.affine() == 0) return sum;
  double affine = 1;
  for (Index j = 0; j < a.size(); ++j)
    affine += (a[j] - c.draw.centre[j]) * (b[j] - c.draw.centre[j]) / std::pow(c.draw.scale[j], 2);
  return sum + affine * std::exp(-c.log_affine);
}

double value_at(const KernelCase& c, double caution) {
  KernelEvidence evidence(c.draw, c.inputs, c.outputs, c.region, c.root_weights);
  EXPECT_TRUE(evidence.set(c.log_bandwidth, c.log_prior, c.log_affine));
  return evidence.value(c.noise) + caution * evidence.uncertainty();
}

class KernelCases : public testing::TestWithParam<std::uint64_t> {};

TEST_P(KernelCases, ValueIsThatOfTheTextbook) {
  const KernelCase c = kernel_case(GetParam());
  const Index N = c.inputs.cols(), K = c.region.cols();
  const Vector root = c.root_weights.size() > 0 ? c.root_weights : Vector(Vector::Ones(N));
  Matrix covariance(N, N), to_region(N, K);
  for (Index a = 0; a < N; ++a) {
    for (Index b = 0; b < N; ++b)
      covariance(a, b) =
          root[a] * root[b] * kernel(c, c.inputs.col(a), c.inputs.col(b)) + (a == b ? 1 : 0);
    for (Index t = 0; t < K; ++t)
      to_region(a, t) = root[a] * kernel(c, c.inputs.col(a), c.region.col(t));
  }
  const Matrix inverse = covariance.inverse();
  double expected = 0;
  for (Index j = 0; j < c.outputs.rows(); ++j) {
    const Vector y = c.outputs.row(j).transpose();
    expected -=
        0.5 * (y.dot(inverse * y) / std::pow(c.noise[j], 2) + std::log(covariance.determinant()) +
               root.squaredNorm() * std::log(2 * std::numbers::pi * c.noise[j] * c.noise[j]));
  }
  double doubt = 0;
  for (Index t = 0; t < K; ++t)
    doubt += 0.5 / static_cast<double>(K) *
             std::log1p(kernel(c, c.region.col(t), c.region.col(t)) -
                        to_region.col(t).dot(inverse * to_region.col(t)));
  EXPECT_NEAR(value_at(c, 0), expected, 1e-8 * std::max(1.0, std::abs(expected)));
  EXPECT_NEAR(value_at(c, 10), expected + 10 * doubt, 1e-8 * std::max(1.0, std::abs(expected)));
}

TEST_P(KernelCases, GradientIsThatOfFiniteDifferences) {
  const KernelCase c = kernel_case(GetParam());
  KernelEvidence evidence(c.draw, c.inputs, c.outputs, c.region, c.root_weights);
  ASSERT_TRUE(evidence.set(c.log_bandwidth, c.log_prior, c.log_affine));
  const double caution = static_cast<double>(GetParam() % 3) * 10;
  const EvidenceGradient gradient = evidence.gradient(c.noise, caution);
  const auto difference = [&](auto change) {
    constexpr double h = 1e-5;
    KernelCase up = c, down = c;
    change(up, h);
    change(down, -h);
    return (value_at(up, caution) - value_at(down, caution)) / (2 * h);
  };
  const double scale =
      1e-6 * std::max(1.0, gradient.log_bandwidth.norm() + gradient.log_noise.norm());
  for (Index j = 0; j < c.log_bandwidth.size(); ++j)
    EXPECT_NEAR(gradient.log_bandwidth[j],
                difference([j](KernelCase& x, double d) { x.log_bandwidth[j] += d; }), scale);
  for (Index j = 0; j < c.noise.size(); ++j)
    EXPECT_NEAR(gradient.log_noise[j],
                difference([j](KernelCase& x, double d) { x.noise[j] *= std::exp(d); }), scale);
  EXPECT_NEAR(gradient.log_prior, difference([](KernelCase& x, double d) { x.log_prior += d; }),
              scale);
  EXPECT_NEAR(gradient.log_affine, difference([](KernelCase& x, double d) { x.log_affine += d; }),
              scale);
}

INSTANTIATE_TEST_SUITE_P(Seeds, KernelCases, testing::Range<std::uint64_t>(1, 19));

TEST(KernelEvidence, IsWhatManyFeaturesTendTo) {
  KernelCase c = kernel_case(4);
  double last = kInfinity;
  for (const Index features : {40, 400, 4000}) {
    FourierFeatures draw = draw_features(features, c.inputs.rows(), RandomStream(1, "features"));
    draw.centre = c.draw.centre;
    draw.scale = c.draw.scale;
    Evidence finite(draw, c.inputs, c.outputs, c.region);
    ASSERT_TRUE(finite.set(c.log_bandwidth, c.log_prior + std::log(static_cast<double>(features)),
                           c.log_affine));
    c.root_weights.resize(0);
    const double off = std::abs(finite.value(c.noise) - value_at(c, 0));
    EXPECT_LT(off, last) << features;
    last = off;
  }
  EXPECT_LT(last, 0.05 * std::abs(value_at(c, 0)));
}

}  // namespace
}  // namespace rhc
