#include "rhc/model/kernel_evidence.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>
#include <utility>

#include "rhc/model/cholesky.h"
#include "rhc/model/forgetting.h"

namespace rhc {

namespace {

Matrix affine_features(const FourierFeatures& draw, const Matrix& z) {
  if (draw.affine() == 0) return {};
  Matrix features(z.rows() + 1, z.cols());
  features.topRows(z.rows()) = draw.scale.cwiseInverse().asDiagonal() * (z.colwise() - draw.centre);
  features.bottomRows(1).setOnes();
  return features;
}

}  // namespace

KernelEvidence::KernelEvidence(const FourierFeatures& draw, const Matrix& inputs,
                               const Matrix& outputs, const Matrix& region, Vector root_weights,
                               StopSignal stop)
    : outputs_(outputs),
      root_weights_(std::move(root_weights)),
      stop_(std::move(stop)),
      count_(root_weights_.size() > 0 ? root_weights_.squaredNorm()
                                      : static_cast<double>(inputs.cols())),
      inputs_(inputs),
      region_(region),
      affine_([&] {
        Matrix features = affine_features(draw, inputs);
        if (features.size() > 0) weigh(root_weights_, features);
        return features;
      }()),
      region_affine_(region.cols() > 0 ? affine_features(draw, region) : Matrix()),
      affine_products_(affine_.transpose() * affine_),
      region_affine_products_(region_affine_.size() > 0 ? affine_.transpose() * region_affine_
                                                        : Matrix()) {}

void KernelEvidence::covariance(const Matrix& a, const Matrix& b, Matrix& sines) const {
  const Matrix u = inverse_bandwidth_.asDiagonal() * a, v = inverse_bandwidth_.asDiagonal() * b;
  sines.noalias() = u.transpose() * v;
  const Vector of_a = 0.5 * u.colwise().squaredNorm().transpose();
  const Vector of_b = 0.5 * v.colwise().squaredNorm().transpose();
  for (Index t = 0; t < sines.cols(); ++t)
    sines.col(t) = amplitude_ * ((sines.col(t) - of_a).array() - of_b[t]).min(0.0).exp().matrix();
  if (root_weights_.size() > 0) sines = root_weights_.asDiagonal() * sines;
}

bool KernelEvidence::set(const Eigen::Ref<const Vector>& log_bandwidth, double log_prior,
                         double log_affine) {
  stop_.check();
  const bool affine = affine_.size() > 0;
  inverse_bandwidth_ = (-log_bandwidth).array().exp();
  amplitude_ = 0.5 * std::exp(-log_prior);
  affine_amplitude_ = affine ? std::exp(-log_affine) : 0;
  covariance(inputs_, inputs_, sines_);
  weigh(root_weights_, sines_);
  factor_ = sines_;
  if (affine) factor_ += affine_amplitude_ * affine_products_;
  factor_.diagonal().array() += 1;
  Eigen::Ref<Matrix> in_place(factor_);
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(in_place);
  if (llt.info() != Eigen::Success) return false;
  log_det_ = 2 * factor_.diagonal().array().log().sum();

  solved_ = outputs_.transpose();
  solve_lower(factor_, solved_);
  residual_ = solved_.colwise().squaredNorm().transpose();
  factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(solved_);

  if (region_.cols() > 0) {
    covariance(inputs_, region_, region_sines_);
    region_solved_ = region_sines_;
    if (affine) region_solved_ += affine_amplitude_ * region_affine_products_;
    solve_lower(factor_, region_solved_);
    leverage_ = (amplitude_ - region_solved_.colwise().squaredNorm().array()).transpose();
    if (affine) leverage_ += affine_amplitude_ * region_affine_.colwise().squaredNorm().transpose();
    leverage_ = leverage_.cwiseMax(0);
    factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(region_solved_);
  }
  return std::isfinite(log_det_) && residual_.allFinite();
}

Vector KernelEvidence::best_noise(double floor) const {
  return residual_.cwiseMax(floor * floor * count_).cwiseSqrt() / std::sqrt(count_);
}

double KernelEvidence::value(const Vector& noise) const {
  const double D = static_cast<double>(noise.size());
  return -0.5 * D * (count_ * std::log(2 * std::numbers::pi) + log_det_) -
         count_ * noise.array().log().sum() -
         0.5 * residual_.cwiseQuotient(noise.cwiseAbs2()).sum();
}

double KernelEvidence::effective_parameters() const {
  Matrix inverse;
  invert_precision(factor_, inverse);
  return static_cast<double>(factor_.rows()) - inverse.trace();
}

double KernelEvidence::uncertainty() const {
  return region_.cols() > 0 ? 0.5 * leverage_.array().log1p().mean() : 0;
}

EvidenceGradient KernelEvidence::gradient(const Vector& noise, double caution) {
  const double D = static_cast<double>(noise.size());
  const Index n = inputs_.rows();
  const Vector precision = noise.cwiseAbs2().cwiseInverse();

  // By the covariance of the data, K: d log det K = trace K^-1 dK, d residual = -s' dK s with s =
  // K^-1 y; a leverage k - c' K^-1 c changes by dk - 2 u' dc + u' dK u with u = K^-1 c.
  Matrix by_covariance;
  invert_precision(factor_, by_covariance);
  by_covariance *= -0.5 * D;
  by_covariance.noalias() += solved_ * (0.5 * precision).asDiagonal() * solved_.transpose();
  Matrix by_region;
  double by_variance = 0;
  EvidenceGradient result{Vector::Zero(n), 0, 0,
                          (residual_.cwiseProduct(precision).array() - count_).matrix()};
  if (region_.cols() > 0) {
    const Vector share = (0.5 * caution / static_cast<double>(region_.cols())) *
                         (leverage_.array() + 1).inverse().matrix();
    by_region = region_solved_ * (-2 * share).asDiagonal();
    by_covariance.noalias() += region_solved_ * share.asDiagonal() * region_solved_.transpose();
    by_variance = share.sum();
    if (affine_.size() > 0)
      result.log_affine -=
          affine_amplitude_ * (share.dot(region_affine_.colwise().squaredNorm().transpose()) +
                               by_region.cwiseProduct(region_affine_products_).sum());
  }
  if (affine_.size() > 0)
    result.log_affine -= affine_amplitude_ * by_covariance.cwiseProduct(affine_products_).sum();

  // d k(z, z') / d log nu_k = k (z_k - z'_k)^2 / nu_k^2.
  const auto through = [&](const Matrix& by_sines, const Matrix& a, const Matrix& b) {
    result.log_prior -= by_sines.sum();
    const Vector rows = by_sines.rowwise().sum(), columns = by_sines.colwise().sum().transpose();
    const Matrix mixed = b * by_sines.transpose();
    const Vector squares =
        a.cwiseAbs2() * rows + b.cwiseAbs2() * columns - 2 * mixed.cwiseProduct(a).rowwise().sum();
    result.log_bandwidth += squares.cwiseProduct(inverse_bandwidth_.cwiseAbs2());
  };
  through(by_covariance.cwiseProduct(sines_), inputs_, inputs_);
  if (region_.cols() > 0) through(by_region.cwiseProduct(region_sines_), inputs_, region_);
  result.log_prior -= amplitude_ * by_variance;
  return result;
}

}  // namespace rhc
