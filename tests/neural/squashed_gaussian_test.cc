#include "rhc/neural/squashed_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rhc {
namespace {

Tensor row(std::initializer_list<float> values) { return at::tensor(values).unsqueeze(0); }

TEST(SquashedGaussian, IsTheHandComputedActionAndDensity) {
  // u = 0.5 + 0.8 * 1.2 = 1.46 and u = -0.2 + 0.5 * -0.6 = -0.5.
  const SquashedSample sample =
      squashed_sample(row({0.5F, -0.2F}), row({0.8F, 0.5F}).log(), row({1.2F, -0.6F}));
  const double a = std::tanh(1.46), b = std::tanh(-0.5);
  EXPECT_NEAR(sample.actions[0][0].item<double>(), a, 1e-6);
  EXPECT_NEAR(sample.actions[0][1].item<double>(), b, 1e-6);
  const double normal = std::log(2 * std::numbers::pi);
  const double expected = -0.5 * 1.2 * 1.2 - std::log(0.8) - normal / 2 - std::log(1 - a * a) -
                          0.5 * 0.6 * 0.6 - std::log(0.5) - normal / 2 - std::log(1 - b * b);
  EXPECT_NEAR(sample.log_density[0].item<double>(), expected, 1e-5);
}

TEST(SquashedGaussian, DensityIntegratesToOne) {
  constexpr int kCells = 20000;
  const double mean = 0.3, deviation = 0.9;
  Tensor noise = at::empty({kCells, 1});
  for (int i = 0; i < kCells; ++i) {
    const double action = -1 + 2 * (i + 0.5) / kCells;
    noise[i][0] = (std::atanh(action) - mean) / deviation;
  }
  const SquashedSample sample = squashed_sample(at::full({kCells, 1}, mean),
                                                at::full({kCells, 1}, std::log(deviation)), noise);
  EXPECT_NEAR(sample.log_density.exp().sum().item<double>() * 2 / kCells, 1, 1e-3);
}

TEST(SquashedGaussian, StaysFiniteFarOut) {
  const SquashedSample sample =
      squashed_sample(row({60.0F, -60.0F}), row({2.0F, 2.0F}), row({3.0F, -3.0F}));
  EXPECT_TRUE(std::isfinite(sample.log_density[0].item<double>()));
  EXPECT_EQ(sample.actions[0][0].item<double>(), 1);
}

}  // namespace
}  // namespace rhc
