#include "rhc/model/log_det.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace rhc {

double factorize_gram(Matrix& gram, const Matrix& Z, bool transposed) {
  Eigen::Ref<Matrix> in_place(gram);
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(in_place);
  if (llt.info() != Eigen::Success) {
    const Index size = gram.rows();
    Matrix stacked(transposed ? Z.cols() + size : Z.rows() + size, size);
    if (transposed)
      stacked << Z.transpose(), Matrix::Identity(size, size);
    else
      stacked << Z, Matrix::Identity(size, size);
    Eigen::Ref<Matrix> upper(stacked);
    const Eigen::HouseholderQR<Eigen::Ref<Matrix>> qr(upper);
    gram.setZero();
    gram.triangularView<Eigen::Lower>() = stacked.topRows(size).transpose();
    // A factor has a positive diagonal; a reflection may leave a negative one.
    for (Index k = 0; k < size; ++k)
      if (gram(k, k) < 0) gram.col(k) = -gram.col(k);
  }
  return gram.diagonal().array().log().sum();
}

}  // namespace rhc
