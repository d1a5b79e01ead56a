#include "rhc/model/heavy_tails.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rhc/core/parallel.h"

namespace rhc {

namespace {

constexpr double kNormal = kInfinity;
// Fewer nats than that, in all or a value, are within what honest noise brings about by chance.
constexpr double kLeastGain = 10, kLeastGainOfValue = 0.02;

// What lies nearer, in widths of the bulk, counts in full: where a model has too few features or
// data, its errors have heavy tails as well, and there they tell the most.
constexpr double kFar = 10;
// And nothing is far that the noise in force, which has a floor, allows for.
constexpr double kUnlikely = 4;
// As how many transitions one counts that is set aside.
constexpr double kNothing = 1e-12;

void count_for_nothing(Index transition, Vector& weights) {
  weights[transition] = kNothing;
  // What was measured wrongly is what the next one begins with.
  if (transition + 1 < weights.size()) weights[transition + 1] = kNothing;
}

double log_density(double off, double freedom, double scale) {
  const double u2 = std::pow(off / scale, 2);
  if (freedom == kNormal) return -0.5 * (u2 + std::log(2 * std::numbers::pi)) - std::log(scale);
  return std::lgamma(0.5 * (freedom + 1)) - std::lgamma(0.5 * freedom) -
         0.5 * std::log(freedom * std::numbers::pi) -
         0.5 * (freedom + 1) * std::log1p(u2 / freedom) - std::log(scale);
}

double mean_log_density(const Vector& off, double freedom, double scale) {
  double sum = 0;
  for (const double value : off) sum += log_density(value, freedom, scale);
  return sum / static_cast<double>(off.size());
}

// By expectation and maximisation; the way there never loses likelihood.
double best_scale(const Vector& off, double freedom) {
  Vector sorted = off.cwiseAbs();
  std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
  double square = std::max(std::pow(sorted[sorted.size() / 2], 2), 1e-12);
  for (int i = 0; i < 40; ++i)
    square = std::max(
        ((freedom + 1) * off.array().square() / (freedom + off.array().square() / square)).mean(),
        1e-12);
  return std::sqrt(square);
}

}  // namespace

LeftOut left_out(const Regression& regression, const Transitions& data, int threads,
                 const StopSignal& stop) {
  Matrix mean = regression.known
                    ? known_changes(regression.known, data.inputs, regression.outputs())
                    : Matrix::Zero(regression.outputs(), data.count());
  Matrix leverage(mean.rows(), mean.cols());
  parallel_for(static_cast<int>(regression.groups.size()), threads, stop, [&](int g) {
    const auto& [outputs, posterior] = regression.groups[static_cast<std::size_t>(g)];
    PredictionWorkspace workspace;
    Matrix mean_there;
    Vector leverage_there;
    posterior.predict(data.inputs, false, workspace, mean_there, leverage_there, stop);
    mean(outputs, Eigen::all) += mean_there;
    for (const Index j : outputs) leverage.row(j) = leverage_there.transpose();
  });
  LeftOut result{data.outputs - mean, Matrix(mean.rows(), mean.cols())};
  const Vector noise = regression.predicted_noise_variance();
  for (Index t = 0; t < data.count(); ++t) {
    const double weight = data.weights.size() > 0 ? data.weights[t] : 1;
    for (Index j = 0; j < mean.rows(); ++j) {
      // What is left of the precision without this transition.
      const double others = std::max(1 - weight * leverage(j, t), 1e-6);
      result.deviation(j, t) = std::sqrt(noise[j] * (1 + leverage(j, t) / others));
      result.off(j, t) /= others * result.deviation(j, t);
    }
  }
  return result;
}

Tails tails_of(const Matrix& off) {
  const Index D = off.rows();
  const double N = static_cast<double>(off.cols());
  Tails tails{Vector::Constant(D, kNormal), Vector::Ones(D)};
  for (Index j = 0; j < D; ++j) {
    const Vector of_output = off.row(j).transpose();
    const double width = std::sqrt(std::max(of_output.squaredNorm() / N, 1e-300));
    const double normal = mean_log_density(of_output, kNormal, width);
    double most = kLeastGainOfValue;
    for (const double freedom : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0}) {
      const double scale = best_scale(of_output, freedom);
      const double gain = mean_log_density(of_output, freedom, scale) - normal;
      if (gain * N < kLeastGain || gain < most) continue;
      tails.freedom[j] = freedom;
      tails.scale[j] = scale;
      most = gain;
    }
  }
  return tails;
}

Vector weights_by(const Tails& tails, const Matrix& off) {
  Vector weights = Vector::Ones(off.cols());
  for (Index j = 0; j < off.rows(); ++j) {
    if (tails.freedom[j] == kNormal) continue;
    const double far = std::max(kFar * tails.scale[j], kUnlikely);
    for (Index t = 0; t < off.cols(); ++t)
      if (std::abs(off(j, t)) > far) count_for_nothing(t, weights);
  }
  return weights;
}

Vector weights_by_prediction(const Regression& regression, const Transitions& data) {
  const Prediction predicted = regression.predict(data.inputs);
  Vector weights = Vector::Ones(data.count());
  for (Index t = 0; t < data.count(); ++t) {
    const Vector deviation = (predicted.epistemic.col(t) + predicted.noise).cwiseSqrt();
    const Vector off = data.outputs.col(t) - predicted.mean.col(t);
    if ((off.array().abs() > kFar * deviation.array()).any()) count_for_nothing(t, weights);
  }
  return weights;
}

}  // namespace rhc
