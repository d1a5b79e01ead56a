#include "rhc/model/evidence.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "rhc/model/cholesky.h"

namespace rhc {

Evidence::Evidence(const FourierFeatures& draw, const Matrix& inputs, const Matrix& outputs)
    : inputs_(inputs), outputs_(outputs), features_(draw) {}

bool Evidence::set(const Eigen::Ref<const Vector>& log_bandwidth, double log_prior) {
  features_.bandwidth = log_bandwidth.array().exp();
  log_prior_ = log_prior;
  features_.evaluate(inputs_, phi_, cosine_);

  const Index M = features_.count();
  factor_.setZero(M, M);
  factor_.diagonal().setConstant(std::exp(log_prior));
  factor_.selfadjointView<Eigen::Lower>().rankUpdate(phi_);
  Eigen::Ref<Matrix> in_place(factor_);
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(in_place);
  if (llt.info() != Eigen::Success) return false;
  log_det_ = 2 * factor_.diagonal().array().log().sum();

  moment_.noalias() = phi_ * outputs_.transpose();
  weights_ = moment_;
  solve_precision(factor_, weights_);
  // Written as the minimum that w attains, so that rounding errors of w enter squared only.
  error_ = outputs_;
  error_.noalias() -= weights_.transpose() * phi_;
  residual_ = error_.rowwise().squaredNorm() +
              std::exp(log_prior) * weights_.colwise().squaredNorm().transpose();
  return std::isfinite(log_det_) && weights_.allFinite();
}

Vector Evidence::best_noise(double floor) const {
  const double N = static_cast<double>(inputs_.cols());
  return residual_.cwiseMax(floor * floor * N).cwiseSqrt() / std::sqrt(N);
}

double Evidence::value(const Vector& noise) const {
  const double N = static_cast<double>(inputs_.cols());
  const double M = static_cast<double>(features_.count());
  const double D = static_cast<double>(noise.size());
  return -0.5 * D * (N * std::log(2 * std::numbers::pi) + log_det_ - M * log_prior_) -
         N * noise.array().log().sum() - 0.5 * residual_.cwiseQuotient(noise.cwiseAbs2()).sum();
}

Evidence::Gradient Evidence::gradient(const Vector& noise) {
  const double N = static_cast<double>(inputs_.cols());
  const double M = static_cast<double>(features_.count());
  const double D = static_cast<double>(noise.size());
  const Vector precision = noise.cwiseAbs2().cwiseInverse();
  const double lambda = std::exp(log_prior_);

  // A^-1 = L^-T L^-1. Its rounding errors, harmless in a slope, would not be in a belief.
  const Index size = features_.count();
  inverse_.setIdentity(size, size);
  factor_.triangularView<Eigen::Lower>().solveInPlace(inverse_);
  const double trace = inverse_.squaredNorm();
  inverse_ = inverse_.transpose() * inverse_.triangularView<Eigen::Lower>();

  // d value / d Phi = -D A^-1 Phi + sum_j w_j (y_j - Phi' w_j)' / s_j^2.
  slope_.noalias() = (-D * inverse_) * phi_;
  slope_.noalias() += (weights_ * precision.asDiagonal()) * error_;

  // d Phi / d log nu_k = -cos * P_k z_k / nu_k.
  slope_.array() *= cosine_.array();
  const Matrix through = slope_ * inputs_.transpose();
  Gradient result;
  result.log_bandwidth = -(through.cwiseProduct(features_.P)).colwise().sum().transpose();
  result.log_bandwidth.array() /= features_.bandwidth.array();

  // d log det A / d log lambda = lambda trace A^-1, d residual_j / d log lambda = lambda w_j' w_j.
  result.log_prior = 0.5 * D * (M - lambda * trace) -
                     0.5 * lambda * (weights_.colwise().squaredNorm() * precision)(0);
  result.log_noise = (residual_.cwiseProduct(precision).array() - N).matrix();
  return result;
}

}  // namespace rhc
