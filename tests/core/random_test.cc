#include "rhc/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace rhc {
namespace {

// P(X < x) of a standard normal, by the C library.
double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// Largest distance between the empirical distribution of samples in (0, 1) and the uniform one.
double kolmogorov_smirnov(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const double n = static_cast<double>(samples.size());
  double worst = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    worst = std::max({worst, std::abs(samples[i] - static_cast<double>(i) / n),
                      std::abs(samples[i] - static_cast<double>(i + 1) / n)});
  return worst;
}

TEST(RandomStream, RepeatsItself) {
  RandomStream a(7, "plant", 3), b(7, "plant", 3);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(a.bits(), b.bits());
}

TEST(RandomStream, DiffersBySeedPurposeAndIndex) {
  std::set<std::uint64_t> first;
  for (const std::uint64_t seed : {1u, 2u})
    for (const char* purpose : {"plant", "features"})
      for (const std::uint64_t index : {0u, 1u})
        first.insert(RandomStream(seed, purpose, index).bits());
  EXPECT_EQ(first.size(), 8u);
}

// Pins the numbers that every stored run depends on.
TEST(RandomStream, NeverChangesBetweenVersions) {
  RandomStream stream(1, "pinned", 2);
  EXPECT_EQ(stream.bits(), 13623109054927269817u);
  EXPECT_DOUBLE_EQ(stream.uniform(), 0.57382739006025019);
  EXPECT_DOUBLE_EQ(stream.normal(), 0.098260134396623483);
}

TEST(RandomStream, UniformIsUniform) {
  RandomStream stream(11, "uniform");
  std::vector<double> samples(20000);
  for (double& s : samples) s = stream.uniform();
  EXPECT_GE(*std::min_element(samples.begin(), samples.end()), 0);
  EXPECT_LT(*std::max_element(samples.begin(), samples.end()), 1);
  EXPECT_LT(kolmogorov_smirnov(samples), 1.95 / std::sqrt(20000.0)) << "p < 0.001, seed 11";
}

TEST(RandomStream, NormalIsNormal) {
  RandomStream stream(12, "normal");
  std::vector<double> samples(20000);
  for (double& s : samples) s = normal_distribution(stream.normal());
  EXPECT_LT(kolmogorov_smirnov(samples), 1.95 / std::sqrt(20000.0)) << "p < 0.001, seed 12";
}

TEST(RandomStream, BelowMeetsEveryRemainder) {
  RandomStream stream(13, "below");
  std::vector<int> met(7);
  for (int i = 0; i < 7000; ++i) ++met[stream.below(7)];
  for (const int count : met) EXPECT_NEAR(count, 1000, 150);
}

TEST(NormalQuantile, InvertsTheDistribution) {
  for (const double p : {1e-300, 1e-30, 1e-10, 1e-4, 0.02425, 0.07, 0.3, 0.5})
    EXPECT_NEAR(normal_distribution(normal_quantile(p)) / p, 1, 1e-12) << p;
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
  EXPECT_DOUBLE_EQ(normal_quantile(0.9), -normal_quantile(0.1));
  EXPECT_EQ(normal_quantile(0.0), -kInfinity);
}

}  // namespace
}  // namespace rhc
