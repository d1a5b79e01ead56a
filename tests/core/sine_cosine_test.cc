#include "rhc/core/sine_cosine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "rhc/core/random.h"

namespace rhc {
namespace {

// Error in units of the last place of the true value (at least that of 1e-17).
double ulps(double got, long double truth) {
  const double rounded = static_cast<double>(truth);
  const double unit = std::max(std::abs(std::nextafter(rounded, 2.0) - rounded), 1e-33);
  return static_cast<double>(std::abs(static_cast<long double>(got) - truth) / unit);
}

double worst_error(const std::vector<double>& x) {
  std::vector<double> sine(x.size()), cosine(x.size()), alone(x.size());
  sine_cosine(x.data(), x.size(), sine.data(), cosine.data());
  sine_only(x.data(), x.size(), alone.data());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, ulps(sine[i], std::sin(static_cast<long double>(x[i]))));
    worst = std::max(worst, ulps(cosine[i], std::cos(static_cast<long double>(x[i]))));
    EXPECT_EQ(alone[i], sine[i]) << x[i];
  }
  return worst;
}

TEST(SineCosine, AgreesWithExtendedPrecision) {
  for (const double range : {1e-300, 1e-8, 1.0, 10.0, 1e3, 1e5}) {
    RandomStream randomness(1, "sine");
    std::vector<double> x(10007);
    for (double& v : x) v = randomness.uniform(-range, range);
    EXPECT_LE(worst_error(x), 2) << "range " << range << ", seed 1";
  }
}

TEST(SineCosine, IsAccurateNextToTheZeros) {
  std::vector<double> x;
  for (int k = -400; k <= 400; ++k) {
    const double zero = k * std::numbers::pi / 2;
    x.insert(x.end(), {zero, std::nextafter(zero, 1e9), std::nextafter(zero, -1e9)});
  }
  EXPECT_LE(worst_error(x), 2);
}

TEST(SineCosine, LeavesHugeAndUndefinedToTheLibrary) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> x = {0.5, 1e300, -1e6, inf, -inf, std::nan("")};
  std::vector<double> sine(x.size()), cosine(x.size());
  sine_cosine(x.data(), x.size(), sine.data(), cosine.data());
  for (const std::size_t i : {0u, 1u, 2u}) {
    EXPECT_EQ(sine[i], std::sin(x[i]));
    EXPECT_EQ(cosine[i], std::cos(x[i]));
  }
  for (const std::size_t i : {3u, 4u, 5u})
    EXPECT_TRUE(std::isnan(sine[i]) && std::isnan(cosine[i]));
}

TEST(SineCosine, WorksInPlace) {
  std::vector<double> x = {0.1, -2, 3, 4, 50, -60, 7, 8, 9.5}, copy = x, sine(9), cosine(9), c2(9);
  sine_cosine(x.data(), 9, sine.data(), cosine.data());
  sine_cosine(copy.data(), 9, copy.data(), c2.data());
  EXPECT_EQ(copy, sine);
  EXPECT_EQ(c2, cosine);
}

}  // namespace
}  // namespace rhc
