#include "rhc/model/fourier_features.h"

#include <algorithm>
#include <numbers>

#include "rhc/core/sine_cosine.h"

namespace rhc {

namespace {

// Of the sines; the affine features are their own arguments.
void arguments(const FourierFeatures& features, const ConstMatrixRef& z, Matrix& result) {
  const Index sines = features.sines(), inputs = features.inputs();
  result.resize(features.count(), z.cols());
  if (features.affine() == 0 && features.hidden.empty()) {
    result.colwise() = features.phase;
    result.noalias() += features.frequencies() * z;
    return;
  }
  result.topRows(sines).colwise() = features.phase;
  if (features.hidden.empty())
    result.topRows(sines).noalias() +=
        (features.P * features.bandwidth.cwiseInverse().asDiagonal()) * z;
  else
    result.topRows(sines).noalias() +=
        features.P * through(features.hidden, features.bandwidth.cwiseInverse().asDiagonal() * z);
  if (features.affine() == 0) return;
  result.middleRows(sines, inputs).noalias() =
      features.scale.cwiseInverse().asDiagonal() * (z.colwise() - features.centre);
  result.bottomRows(1).setOnes();
}

}  // namespace

Matrix FourierFeatures::frequencies() const {
  if (affine() == 0) return P * bandwidth.cwiseInverse().asDiagonal();
  Matrix Q = Matrix::Zero(count(), inputs());
  Q.topRows(sines()) = P * bandwidth.cwiseInverse().asDiagonal();
  Q.middleRows(sines(), inputs()).diagonal() = scale.cwiseInverse();
  return Q;
}

Matrix FourierFeatures::frequencies_at(const Eigen::Ref<const Vector>& z) const {
  if (hidden.empty()) return frequencies();
  LayersAt layers;
  layers.look(hidden, z.cwiseQuotient(bandwidth), true);
  Matrix Q = Matrix::Zero(count(), inputs());
  layers.slope_of(P, Q.topRows(sines()));
  Q.topRows(sines()) *= bandwidth.cwiseInverse().asDiagonal();
  if (affine() > 0) Q.middleRows(sines(), inputs()).diagonal() = scale.cwiseInverse();
  return Q;
}

void FourierFeatures::saturate(Matrix& phi) const {
  if (affine() == 0) return;
  auto u = phi.middleRows(sines(), inputs()).array();
  u = u * (1 + (u / kAffineReach).square()).rsqrt();
}

void FourierFeatures::evaluate(const ConstMatrixRef& z, Matrix& phi) const {
  arguments(*this, z, phi);
  if (affine() == 0) {
    sine_only(phi.data(), static_cast<std::size_t>(phi.size()), phi.data());
    return;
  }
  for (Index t = 0; t < phi.cols(); ++t)
    sine_only(phi.col(t).data(), static_cast<std::size_t>(sines()), phi.col(t).data());
}

void FourierFeatures::evaluate(const ConstMatrixRef& z, Matrix& phi, Matrix& cosine) const {
  arguments(*this, z, phi);
  cosine.resize(phi.rows(), phi.cols());
  if (affine() == 0) {
    sine_cosine(phi.data(), static_cast<std::size_t>(phi.size()), phi.data(), cosine.data());
    return;
  }
  cosine.bottomRows(affine()).setOnes();
  for (Index t = 0; t < phi.cols(); ++t)
    sine_cosine(phi.col(t).data(), static_cast<std::size_t>(sines()), phi.col(t).data(),
                cosine.col(t).data());
}

FourierFeatures draw_features(Index count, Index inputs, RandomStream randomness) {
  FourierFeatures features{Matrix(count, inputs), Vector(count), Vector::Ones(inputs)};
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < inputs; ++j) features.P(i, j) = randomness.normal();
    features.phase[i] = randomness.uniform(-std::numbers::pi, std::numbers::pi);
  }
  return features;
}

Vector mean_pairwise_distance(const ConstMatrixRef& z) {
  const Index count = z.cols();
  Vector result(z.rows());
  for (Index j = 0; j < z.rows(); ++j) {
    Vector sorted = z.row(j).transpose();
    std::sort(sorted.begin(), sorted.end());
    // In sorted order each gap between neighbours is crossed by (i + 1)(count - i - 1) pairs.
    double sum = 0;
    for (Index i = 0; i + 1 < count; ++i)
      sum += (sorted[i + 1] - sorted[i]) * static_cast<double>(i + 1) *
             static_cast<double>(count - i - 1);
    const double pairs = 0.5 * static_cast<double>(count) * static_cast<double>(count - 1);
    result[j] = sum > 0 ? sum / pairs : 1;
  }
  return result;
}

}  // namespace rhc
