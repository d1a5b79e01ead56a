#include "rhc/model/left_out_blocks.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "rhc/model/forgetting.h"

namespace rhc {

namespace {

constexpr Index kBlocks = 10;

LeftOutBlocks leave_out(const Eigen::LLT<Matrix>& precision, const Matrix& phi,
                        const Matrix& outputs, double noise_floor) {
  const Index N = phi.cols(), blocks = std::min(kBlocks, N);
  const Matrix weights = precision.solve(phi * outputs.transpose());
  const Matrix rest = outputs - weights.transpose() * phi;
  Matrix whitened = phi;
  precision.matrixL().solveInPlace(whitened);
  Matrix off(rest.rows(), N);
  Vector variance(N);
  for (Index b = 0; b < blocks; ++b) {
    const Index first = b * N / blocks, size = (b + 1) * N / blocks - first;
    // Without a block B its errors are (I - Z_B' Z_B)^-1 of what is left over with it, and that
    // inverse is their covariance in units of the noise.
    Matrix left = Matrix::Identity(size, size);
    left.noalias() -=
        whitened.middleCols(first, size).transpose() * whitened.middleCols(first, size);
    const Eigen::LLT<Matrix> llt(left);
    if (llt.info() != Eigen::Success) return {-kInfinity, {}};
    const Matrix covariance = llt.solve(Matrix::Identity(size, size));
    variance.segment(first, size) = covariance.diagonal();
    off.middleCols(first, size).noalias() = rest.middleCols(first, size) * covariance;
  }
  const double count = static_cast<double>(N), D = static_cast<double>(rest.rows());
  const Vector noise =
      (off.cwiseAbs2() * variance.cwiseInverse() / count).cwiseSqrt().cwiseMax(noise_floor);
  return {-0.5 * D * variance.array().log().sum() - count * noise.array().log().sum(), noise};
}

}  // namespace

std::vector<LeftOutBlocks> leave_out_blocks(const FourierFeatures& features, const Matrix& inputs,
                                            const Matrix& outputs, const Vector& root_weights,
                                            const std::vector<double>& prior_precisions,
                                            double affine_precision, double noise_floor,
                                            const StopSignal& stop) {
  const Index M = features.count();
  Matrix phi, gram = Matrix::Zero(M, M);
  features.evaluate(inputs, phi);
  weigh(root_weights, phi);
  gram.selfadjointView<Eigen::Lower>().rankUpdate(phi);
  std::vector<LeftOutBlocks> all;
  for (const double prior_precision : prior_precisions) {
    stop.check();
    Matrix A = gram;
    A.diagonal().head(features.sines()).array() += prior_precision;
    A.diagonal().tail(features.affine()).array() += affine_precision;
    const Eigen::LLT<Matrix> llt(A);
    all.push_back(llt.info() == Eigen::Success ? leave_out(llt, phi, outputs, noise_floor)
                                               : LeftOutBlocks{-kInfinity, {}});
  }
  return all;
}

}  // namespace rhc
