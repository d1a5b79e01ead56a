#include "rhc/model/bayesian_linear_model.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/model/cholesky.h"
#include "rhc/model/forgetting.h"

namespace rhc {

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

BayesianLinearModel::BayesianLinearModel(FourierFeatures draw,
                                         const Hyperparameters& hyperparameters,
                                         Standardization standardization)
    : features(std::move(draw)),
      outputs(std::move(standardization)),
      prior_precision(hyperparameters.prior_precision),
      affine_precision(hyperparameters.affine_precision),
      noise(hyperparameters.noise) {
  features.bandwidth = hyperparameters.bandwidth;
  const Index M = features.count();
  factor = Matrix::Identity(M, M) * std::sqrt(prior_precision);
  factor.diagonal().tail(features.affine()).setConstant(std::sqrt(affine_precision));
  moment = weights = Matrix::Zero(M, noise.size());
}

void BayesianLinearModel::learn(const Transitions& data) {
  check(data, features.inputs(), noise.size());
  if (data.count() == 0) return;
  Matrix phi;
  features.evaluate(data.inputs, phi);
  Matrix y = outputs.apply(data.outputs);
  weigh(data.weights.cwiseSqrt(), phi);
  weigh(data.weights.cwiseSqrt(), y);

  // Many transitions: cheaper to add up and factorise once. Few, or rounding made the sum
  // indefinite: one rank-one update each, which cannot fail.
  Eigen::LLT<Matrix> llt;
  if (data.count() >= features.count()) {
    Matrix A = factor * factor.transpose();
    A.selfadjointView<Eigen::Lower>().rankUpdate(phi);
    llt.compute(A);
  }
  if (data.count() >= features.count() && llt.info() == Eigen::Success) {
    factor = llt.matrixL();
  } else {
    Vector row;
    for (Index t = 0; t < data.count(); ++t) {
      row = phi.col(t);
      cholesky_update(factor, row);
    }
  }
  moment.noalias() += phi * y.transpose();
  weights = moment;
  solve_precision(factor, weights);
  count += data.count();
}

void BayesianLinearModel::predict(const ConstMatrixRef& inputs, bool with_cosine,
                                  PredictionWorkspace& workspace, Matrix& mean,
                                  Vector& leverage) const {
  if (with_cosine)
    features.evaluate(inputs, workspace.phi, workspace.cosine);
  else
    features.evaluate(inputs, workspace.phi);
  mean.noalias() = weights.transpose() * workspace.phi;
  mean = (outputs.scale.asDiagonal() * mean).colwise() + outputs.mean;
  workspace.solved = workspace.phi;
  solve_lower(factor, workspace.solved);
  leverage = workspace.solved.colwise().squaredNorm();
}

Prediction BayesianLinearModel::predict(const ConstMatrixRef& inputs) const {
  PredictionWorkspace workspace;
  Prediction result;
  Vector leverage;
  predict(inputs, false, workspace, result.mean, leverage);
  result.noise = noise_variance();
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
