#include "rhc/model/evidence.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "rhc/model/cholesky.h"
#include "rhc/model/forgetting.h"

namespace rhc {

namespace {

// Of more features a slope takes long enough for somebody to wish to stop meanwhile.
constexpr Index kManyFeatures = 512;

}  // namespace

Evidence::Evidence(const FourierFeatures& draw, const Matrix& inputs, const Matrix& outputs,
                   const Matrix& region, Vector root_weights, StopSignal stop)
    : inputs_(inputs),
      outputs_(outputs),
      region_(region),
      root_weights_(std::move(root_weights)),
      stop_(std::move(stop)),
      count_(root_weights_.size() > 0 ? root_weights_.squaredNorm()
                                      : static_cast<double>(inputs.cols())),
      features_(draw) {}

std::vector<Evidence::Block> Evidence::blocks() const {
  const Index N = inputs_.cols(), size = learning_block(features_.count());
  std::vector<Block> all;
  for (Index first = 0; first < N; first += size) all.push_back({first, std::min(size, N - first)});
  return all;
}

void Evidence::look_at(const Block& block, bool with_cosine) {
  stop_.check();
  const auto inputs = inputs_.middleCols(block.first, block.count);
  if (with_cosine)
    features_.evaluate(inputs, phi_, cosine_);
  else
    features_.evaluate(inputs, phi_);
  if (root_weights_.size() == 0) return;
  const Vector root_weights = root_weights_.segment(block.first, block.count);
  weigh(root_weights, phi_);
  if (with_cosine) weigh(root_weights, cosine_);
}

bool Evidence::set(const Eigen::Ref<const Vector>& log_bandwidth, double log_prior,
                   double log_affine) {
  features_.bandwidth = log_bandwidth.array().exp();
  log_prior_ = log_prior;
  log_affine_ = log_affine;
  const Index M = features_.count(), affine = features_.affine();
  const std::vector<Block> all = blocks();
  const bool many = all.size() > 1;

  // The factor of A takes A's place.
  factor_.setZero(M, M);
  factor_.diagonal().setConstant(std::exp(log_prior));
  factor_.diagonal().tail(affine).setConstant(std::exp(log_affine));
  weights_.setZero(M, outputs_.rows());
  for (const Block& block : all) {
    look_at(block, !many);
    factor_.selfadjointView<Eigen::Lower>().rankUpdate(phi_);
    weights_.noalias() += phi_ * outputs_.middleCols(block.first, block.count).transpose();
  }
  Eigen::Ref<Matrix> in_place(factor_);
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(in_place);
  if (llt.info() != Eigen::Success) return false;
  log_det_ = 2 * factor_.diagonal().array().log().sum();
  solve_precision(factor_, weights_);

  // Written as the minimum that w attains, so that rounding errors of w enter squared only.
  error_ = outputs_;
  for (const Block& block : all) {
    if (many) look_at(block, false);
    error_.middleCols(block.first, block.count).noalias() -= weights_.transpose() * phi_;
  }
  if (affine == 0)
    residual_ = error_.rowwise().squaredNorm() +
                std::exp(log_prior) * weights_.colwise().squaredNorm().transpose();
  else
    residual_ =
        error_.rowwise().squaredNorm() +
        std::exp(log_prior) * weights_.topRows(M - affine).colwise().squaredNorm().transpose() +
        std::exp(log_affine) * weights_.bottomRows(affine).colwise().squaredNorm().transpose();

  if (region_.cols() > 0) {
    features_.evaluate(region_, region_phi_, region_cosine_);
    region_solved_ = region_phi_;
    solve_precision(factor_, region_solved_);
    leverage_ = region_solved_.cwiseProduct(region_phi_).colwise().sum().cwiseMax(0);
  }
  return std::isfinite(log_det_) && residual_.allFinite();
}

Vector Evidence::best_noise(double floor) const {
  const double N = count_;
  return residual_.cwiseMax(floor * floor * N).cwiseSqrt() / std::sqrt(N);
}

double Evidence::value(const Vector& noise) const {
  const double N = count_;
  const double M = static_cast<double>(features_.sines());
  const double affine = static_cast<double>(features_.affine());
  const double D = static_cast<double>(noise.size());
  return -0.5 * D *
             (N * std::log(2 * std::numbers::pi) + log_det_ - M * log_prior_ -
              affine * log_affine_) -
         N * noise.array().log().sum() - 0.5 * residual_.cwiseQuotient(noise.cwiseAbs2()).sum();
}

double Evidence::effective_parameters() {
  // The sum of the data's leverages, each of which is safely below 1: no difference of large
  // numbers.
  const std::vector<Block> all = blocks();
  double sum = 0;
  for (const Block& block : all) {
    if (all.size() > 1) look_at(block, false);
    Matrix whitened = phi_;
    solve_lower(factor_, whitened);
    sum += whitened.squaredNorm();
  }
  return sum;
}

double Evidence::uncertainty() const {
  return region_.cols() > 0 ? 0.5 * leverage_.array().log1p().mean() : 0;
}

Evidence::Gradient Evidence::gradient(const Vector& noise, double caution) {
  const double N = count_;
  const double M = static_cast<double>(features_.sines());
  const double D = static_cast<double>(noise.size());
  const double lambda = std::exp(log_prior_), affine_lambda = std::exp(log_affine_);
  const Index sines = features_.sines(), affine = features_.affine();
  const Vector precision = noise.cwiseAbs2().cwiseInverse();
  // Both parts depend on nu through features: d Phi / d log nu_k = -cos * P_k z_k / nu_k.
  const auto through_features = [&](const Matrix& slope, const ConstMatrixRef& z) {
    const Matrix product = slope * z.transpose();
    Vector result(features_.inputs());
    for (Index k = 0; k < result.size(); ++k)
      result[k] = -product.col(k).head(sines).dot(features_.P.col(k)) / features_.bandwidth[k];
    return result;
  };

  // A^-1 = L^-T L^-1. Its rounding errors, harmless in a slope, would not be in a posterior.
  const bool many = features_.count() > kManyFeatures;
  double trace = 0, affine_trace = 0;
  if (many) {
    invert_precision(factor_, inverse_, stop_);
    trace = inverse_.diagonal().head(sines).sum();
    affine_trace = inverse_.diagonal().tail(affine).sum();
    inverse_ *= -D;
  } else {
    inverse_.setIdentity(features_.count(), features_.count());
    factor_.triangularView<Eigen::Lower>().solveInPlace(inverse_);
    affine_trace = inverse_.rightCols(affine).squaredNorm();
    trace = affine == 0 ? inverse_.squaredNorm() : inverse_.leftCols(sines).squaredNorm();
    inverse_ = (-D * inverse_.transpose()) * inverse_.triangularView<Eigen::Lower>();
  }

  // d log det A / d log lambda = lambda trace A^-1, d residual_j / d log lambda = lambda w_j' w_j.
  Gradient result;
  result.log_noise = (residual_.cwiseProduct(precision).array() - N).matrix();
  const auto squares = [&](const auto& rows) {
    return (rows.colwise().squaredNorm() * precision)(0);
  };
  result.log_prior =
      0.5 * D * (M - lambda * trace) -
      0.5 * lambda * (affine == 0 ? squares(weights_) : squares(weights_.topRows(sines)));
  result.log_affine = affine == 0
                          ? 0
                          : 0.5 * D * (static_cast<double>(affine) - affine_lambda * affine_trace) -
                                0.5 * affine_lambda * squares(weights_.bottomRows(affine));
  result.log_bandwidth.setZero(features_.inputs());

  // q = phi' A^-1 phi in the region: d q = 2 u' d phi - 2 u' d Phi Phi' u - lambda u' u d log
  // lambda, with u = A^-1 phi.
  if (region_.cols() > 0) {
    const Vector share = (0.5 * caution / static_cast<double>(region_.cols())) *
                         (leverage_.array() + 1).inverse().matrix();
    const Matrix weighted = region_solved_ * (2 * share).asDiagonal();
    inverse_.noalias() -= weighted * region_solved_.transpose();
    const auto squares_there = [&](const auto& rows) {
      return (rows.colwise().squaredNorm() * share)(0);
    };
    result.log_prior -= lambda * (affine == 0 ? squares_there(region_solved_)
                                              : squares_there(region_solved_.topRows(sines)));
    if (affine > 0)
      result.log_affine -= affine_lambda * squares_there(region_solved_.bottomRows(affine));
    result.log_bandwidth += through_features(weighted.cwiseProduct(region_cosine_), region_);
  }

  // d value / d Phi = -D A^-1 Phi + sum_j w_j (y_j - Phi' w_j)' / s_j^2.
  const std::vector<Block> all = blocks();
  for (const Block& block : all) {
    if (all.size() > 1) look_at(block, true);
    slope_.resize(phi_.rows(), phi_.cols());
    const Index step = many ? prediction_block(features_.count()) : phi_.cols();
    for (Index first = 0; first < phi_.cols(); first += step) {
      if (many) stop_.check();
      const Index size = std::min(step, phi_.cols() - first);
      slope_.middleCols(first, size).noalias() = inverse_ * phi_.middleCols(first, size);
    }
    slope_.noalias() +=
        (weights_ * precision.asDiagonal()) * error_.middleCols(block.first, block.count);
    slope_.array() *= cosine_.array();
    result.log_bandwidth += through_features(slope_, inputs_.middleCols(block.first, block.count));
  }
  return result;
}

}  // namespace rhc
