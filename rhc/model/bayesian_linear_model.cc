#include "rhc/model/bayesian_linear_model.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/model/cholesky.h"
#include "rhc/model/forgetting.h"

namespace rhc {

namespace {

// Rotations are cheap where there are few of them and a factor fits the cache.
bool pays_to_factorise(Index transitions, Index features) {
  constexpr Index kInCache = 512;
  return transitions >= (features <= kInCache ? features : features / 32);
}

}  // namespace

Index prediction_block(Index features) {
  constexpr Index kValues = 1 << 18, kLeast = 256, kMost = 512;
  return std::clamp(kValues / features, kLeast, kMost);
}

Index learning_block(Index features) {
  // Of few features no less than a run usually has.
  constexpr Index kValues = 1 << 21, kLeast = 512, kMost = 4096;
  return std::clamp(kValues / features, kLeast, kMost);
}

Matrix Standardization::apply(const ConstMatrixRef& outputs) const {
  return scale.cwiseInverse().asDiagonal() * (outputs.colwise() - mean);
}

Standardization standardization_of(const ConstMatrixRef& outputs) {
  Standardization result{outputs.rowwise().mean(), {}};
  result.scale = (outputs.colwise() - result.mean).rowwise().squaredNorm() /
                 static_cast<double>(outputs.cols());
  result.scale = result.scale.unaryExpr([](double v) { return v > 0 ? std::sqrt(v) : 1.0; });
  return result;
}

void check(const Transitions& data, Index inputs, Index outputs) {
  if (data.inputs.rows() != inputs || data.outputs.rows() != outputs ||
      data.inputs.cols() != data.outputs.cols())
    throw InputError(
        fmt::format("transitions have {} inputs x {} and {} outputs x {}, the model takes {} "
                    "inputs and {} outputs",
                    data.inputs.rows(), data.inputs.cols(), data.outputs.rows(),
                    data.outputs.cols(), inputs, outputs));
  const auto refuse = [](const char* what, const Matrix& values) {
    if (values.allFinite()) return;
    for (Index t = 0; t < values.cols(); ++t)
      for (Index i = 0; i < values.rows(); ++i)
        if (!std::isfinite(values(i, t)))
          throw InputError(fmt::format(
              "transition {}: {} {} is {}; nothing was learned from these {} transitions", t, what,
              i, values(i, t), values.cols()));
  };
  refuse("input", data.inputs);
  refuse("output", data.outputs);
}

Hyperparameters with_model_error(Hyperparameters hyperparameters, double model_error) {
  // A noise at a floor as large is a rounding error away from it, and stays what it is.
  hyperparameters.predicted_noise = hyperparameters.noise.unaryExpr(
      [&](double s) { return s < model_error * (1 - 1e-9) ? model_error : s; });
  return hyperparameters;
}

bool predicts_with_noise_alone(const Hyperparameters& hyperparameters) {
  return hyperparameters.predicted_noise.size() == 0 ||
         hyperparameters.predicted_noise == hyperparameters.noise;
}

BayesianLinearModel::BayesianLinearModel(FourierFeatures draw,
                                         const Hyperparameters& hyperparameters,
                                         Standardization standardization)
    : features(std::move(draw)),
      outputs(std::move(standardization)),
      prior_precision(hyperparameters.prior_precision),
      affine_precision(hyperparameters.affine_precision),
      noise(hyperparameters.noise),
      predicted_noise(hyperparameters.predicted_noise.size() > 0 ? hyperparameters.predicted_noise
                                                                 : noise) {
  features.bandwidth = hyperparameters.bandwidth;
  const Index M = features.count();
  factor = Matrix::Identity(M, M) * std::sqrt(prior_precision);
  factor.diagonal().tail(features.affine()).setConstant(std::sqrt(affine_precision));
  moment = weights = Matrix::Zero(M, noise.size());
}

void BayesianLinearModel::learn(const Transitions& data, const StopSignal& stop) {
  check(data, features.inputs(), noise.size());
  if (data.count() == 0) return;
  const Index M = features.count(), N = data.count(), block = learning_block(M);
  Matrix phi, y;
  const auto look_at = [&](Index first) {
    stop.check();
    const Index size = std::min(block, N - first);
    features.evaluate(data.inputs.middleCols(first, size), phi);
    y = outputs.apply(data.outputs.middleCols(first, size));
    if (data.weights.size() == 0) return;
    const Vector root_weights = data.weights.segment(first, size).cwiseSqrt();
    weigh(root_weights, phi);
    weigh(root_weights, y);
  };

  // Many transitions: cheaper to add up and factorise once. Few, or rounding made the sum
  // indefinite: one rank-one update each, which cannot fail.
  Matrix learned, sum = moment;
  if (pays_to_factorise(N, M)) {
    // A prior's is diagonal.
    Matrix A;
    if (count == 0)
      A = factor.diagonal().cwiseAbs2().asDiagonal();
    else
      A = factor * factor.transpose();
    for (Index first = 0; first < N; first += block) {
      look_at(first);
      A.selfadjointView<Eigen::Lower>().rankUpdate(phi);
      sum.noalias() += phi * y.transpose();
    }
    const Eigen::LLT<Matrix> llt(A);
    if (llt.info() == Eigen::Success) learned = llt.matrixL();
  }
  if (learned.size() == 0) {
    learned = factor;
    sum = moment;
    Vector row;
    for (Index first = 0; first < N; first += block) {
      look_at(first);
      for (Index t = 0; t < phi.cols(); ++t) {
        if (t % 64 == 0) stop.check();
        row = phi.col(t);
        cholesky_update(learned, row);
      }
      sum.noalias() += phi * y.transpose();
    }
  }
  factor = std::move(learned);
  moment = std::move(sum);
  weights = moment;
  solve_precision(factor, weights);
  count += N;
}

void BayesianLinearModel::predict(const ConstMatrixRef& inputs, bool with_cosine,
                                  PredictionWorkspace& workspace, Matrix& mean, Vector& leverage,
                                  const StopSignal& stop) const {
  const Index T = inputs.cols(), block = with_cosine ? T : prediction_block(features.count());
  if (T <= block) {
    predict_block(inputs, with_cosine, workspace, mean, leverage);
    return;
  }
  mean.resize(noise.size(), T);
  leverage.resize(T);
  Matrix mean_there;
  Vector leverage_there;
  for (Index first = 0; first < T; first += block) {
    stop.check();
    const Index size = std::min(block, T - first);
    predict_block(inputs.middleCols(first, size), false, workspace, mean_there, leverage_there);
    mean.middleCols(first, size) = mean_there;
    leverage.segment(first, size) = leverage_there;
  }
}

void BayesianLinearModel::predict_block(const ConstMatrixRef& inputs, bool with_cosine,
                                        PredictionWorkspace& workspace, Matrix& mean,
                                        Vector& leverage) const {
  predict_mean(inputs, with_cosine, workspace, mean);
  workspace.solved = workspace.phi;
  solve_lower(factor, workspace.solved);
  leverage = workspace.solved.colwise().squaredNorm();
}

void BayesianLinearModel::predict_mean(const ConstMatrixRef& inputs, bool with_cosine,
                                       PredictionWorkspace& workspace, Matrix& mean) const {
  if (with_cosine)
    features.evaluate(inputs, workspace.phi, workspace.cosine);
  else
    features.evaluate(inputs, workspace.phi);
  mean.noalias() = weights.transpose() * workspace.phi;
  mean = (outputs.scale.asDiagonal() * mean).colwise() + outputs.mean;
}

Prediction BayesianLinearModel::predict(const ConstMatrixRef& inputs) const {
  PredictionWorkspace workspace;
  Prediction result;
  Vector leverage;
  predict(inputs, false, workspace, result.mean, leverage);
  result.noise = predicted_noise_variance();
  result.epistemic = result.noise * leverage.transpose();
  return result;
}

double BayesianLinearModel::parameter_entropy() const {
  // 1/2 log det(2 pi e s_j^2 A^-1), summed over the outputs.
  const double M = static_cast<double>(features.count()), D = static_cast<double>(noise.size());
  const double log_det_factor = factor.diagonal().array().log().sum();
  return D * (0.5 * M * std::log(2 * std::numbers::pi * std::numbers::e) - log_det_factor) +
         M * noise.array().log().sum();
}

Matrix BayesianLinearModel::sample_weights(RandomStream& randomness) const {
  Matrix sample(features.count(), noise.size());
  for (Index j = 0; j < noise.size(); ++j)
    sample.col(j) = noise[j] * randomness.normals(features.count());
  factor.transpose().triangularView<Eigen::Upper>().solveInPlace(sample);
  return weights + sample;
}

}  // namespace rhc
