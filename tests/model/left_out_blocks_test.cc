#include "rhc/model/left_out_blocks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/random.h"
#include "rhc/model/bayesian_linear_model.h"

namespace rhc {
namespace {

// By learning each time from all but one tenth.
TEST(LeaveOutBlocks, IsWhatModelsTellThatNeverSawTheBlock) {
  constexpr Index n = 2, N = 47;
  RandomStream r(1, "blocks");
  Matrix inputs(n, N), outputs(1, N);
  for (double& v : inputs.reshaped()) v = r.uniform(-2, 2);
  for (double& v : outputs.reshaped()) v = r.normal();
  FourierFeatures features = draw_features(15, n, RandomStream(1, "features"));
  features.bandwidth = Eigen::Vector2d(0.7, 1.9);
  for (const bool affine : {false, true}) {
    if (affine) {
      features.centre = Eigen::Vector2d(0.1, -0.2);
      features.scale = Eigen::Vector2d(1.1, 0.9);
    }
    const std::vector<double> priors{0.3, 5.0};
    const auto told =
        leave_out_blocks(features, inputs, outputs, {}, tenths_of(N), priors, 0.2, 1e-4);
    for (std::size_t k = 0; k < priors.size(); ++k) {
      double logs = 0, squares = 0;
      for (Index b = 0; b < 10; ++b) {
        const Index first = b * N / 10, size = (b + 1) * N / 10 - first, after = first + size;
        BayesianLinearModel model(
            features, {features.bandwidth, priors[k], Vector::Ones(1), affine ? 0.2 : 0},
            {Vector::Zero(1), Vector::Ones(1)});
        model.learn({inputs.leftCols(first), outputs.leftCols(first)});
        model.learn({inputs.rightCols(N - after), outputs.rightCols(N - after)});
        const Prediction there = model.predict(inputs.middleCols(first, size));
        for (Index t = 0; t < size; ++t) {
          const double variance = 1 + there.epistemic(0, t);
          logs += std::log(variance);
          squares += std::pow(outputs(0, first + t) - there.mean(0, t), 2) / variance;
        }
      }
      const double noise = std::sqrt(squares / N);
      EXPECT_NEAR(told[k].noise[0], noise, 1e-9) << affine << k;
      EXPECT_NEAR(told[k].log_density, -0.5 * logs - N * std::log(noise) - 0.5 * N, 1e-7)
          << affine << k;
      EXPECT_NEAR(told[k].by_block.sum(), told[k].log_density, 1e-9);
    }
  }
}

// The rest is learned from, and not asked about.
TEST(LeaveOutBlocks, AsksOnlyAboutTheBlocks) {
  constexpr Index N = 40, first = 12, size = 5;
  const Matrix inputs = Matrix::Random(1, N), outputs = Matrix::Random(1, N);
  FourierFeatures features = draw_features(6, 1, RandomStream(1, "features"));
  const auto told =
      leave_out_blocks(features, inputs, outputs, {}, {{first, size}}, {0.5}, 0, 1e-4);
  BayesianLinearModel model(features, {features.bandwidth, 0.5, Vector::Ones(1)},
                            {Vector::Zero(1), Vector::Ones(1)});
  model.learn({inputs.leftCols(first), outputs.leftCols(first)});
  model.learn({inputs.rightCols(N - first - size), outputs.rightCols(N - first - size)});
  const Prediction there = model.predict(inputs.middleCols(first, size));
  double squares = 0;
  for (Index t = 0; t < size; ++t)
    squares += std::pow(outputs(0, first + t) - there.mean(0, t), 2) / (1 + there.epistemic(0, t));
  EXPECT_NEAR(told[0].noise[0], std::sqrt(squares / size), 1e-9);
}

TEST(LeaveOutBlocks, TakesFewTransitions) {
  const FourierFeatures features = draw_features(5, 1, RandomStream(1, "features"));
  for (const Index N : {1, 2, 9, 11}) {
    const auto told = leave_out_blocks(features, Matrix::Random(1, N), Matrix::Random(1, N), {},
                                       tenths_of(N), {0.5}, 0, 1e-4);
    EXPECT_TRUE(std::isfinite(told[0].log_density)) << N;
  }
}

}  // namespace
}  // namespace rhc
