#include "rhc/model/left_out_blocks.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "rhc/model/forgetting.h"

namespace rhc {

namespace {

LeftOutBlocks leave_out(const Eigen::LLT<Matrix>& precision, const Matrix& phi,
                        const Matrix& outputs, const std::vector<Stretch>& blocks,
                        double noise_floor, const StopSignal& stop) {
  const Matrix weights = precision.solve(phi * outputs.transpose());
  const Index B = static_cast<Index>(blocks.size());
  double count = 0;
  Vector log_variances(B);
  Matrix squares(outputs.rows(), B), whitened;
  for (Index b = 0; b < B; ++b) {
    const auto& [first, size] = blocks[static_cast<std::size_t>(b)];
    // Without a block B its errors are (I - Z_B' Z_B)^-1 of what is left over with it, and that
    // inverse is their covariance in units of the noise.
    stop.check();
    whitened = phi.middleCols(first, size);
    precision.matrixL().solveInPlace(whitened);
    Matrix left = Matrix::Identity(size, size);
    left.noalias() -= whitened.transpose() * whitened;
    const Eigen::LLT<Matrix> llt(left);
    if (llt.info() != Eigen::Success) return {-kInfinity, {}, {}};
    const Matrix covariance = llt.solve(Matrix::Identity(size, size));
    const Matrix rest =
        outputs.middleCols(first, size) - weights.transpose() * phi.middleCols(first, size);
    const Vector variance = covariance.diagonal();
    squares.col(b) = (rest * covariance).cwiseAbs2() * variance.cwiseInverse();
    log_variances[b] = variance.array().log().sum();
    count += static_cast<double>(size);
  }
  const double D = static_cast<double>(outputs.rows());
  LeftOutBlocks told{0, (squares.rowwise().sum() / count).cwiseSqrt().cwiseMax(noise_floor),
                     -0.5 * D * log_variances};
  const double log_noise = told.noise.array().log().sum();
  for (Index b = 0; b < B; ++b)
    told.by_block[b] -= static_cast<double>(blocks[static_cast<std::size_t>(b)].count) * log_noise +
                        0.5 * (squares.col(b).cwiseQuotient(told.noise.cwiseAbs2()).sum());
  told.log_density = told.by_block.sum();
  return told;
}

}  // namespace

std::vector<Stretch> tenths_of(Index transitions) {
  constexpr Index kBlocks = 10;
  const Index N = transitions, blocks = std::min(kBlocks, N);
  std::vector<Stretch> all;
  for (Index b = 0; b < blocks; ++b)
    all.push_back({b * N / blocks, (b + 1) * N / blocks - b * N / blocks});
  return all;
}

std::vector<LeftOutBlocks> leave_out_blocks(const FourierFeatures& features, const Matrix& inputs,
                                            const Matrix& outputs, const Vector& root_weights,
                                            const std::vector<Stretch>& blocks,
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
    all.push_back(llt.info() == Eigen::Success
                      ? leave_out(llt, phi, outputs, blocks, noise_floor, stop)
                      : LeftOutBlocks{-kInfinity, {}, {}});
  }
  return all;
}

}  // namespace rhc
