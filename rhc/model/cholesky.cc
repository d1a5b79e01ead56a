#include "rhc/model/cholesky.h"

#include <algorithm>
#include <cmath>

namespace rhc {

void cholesky_update(Matrix& L, Vector& x) {
  Matrix none(L.rows(), 0);
  Vector nothing(0);
  cholesky_update(L, x, none, nothing);
}

void cholesky_update(Matrix& L, Vector& x, Matrix& Z, Vector& y) {
  const Index size = L.rows();
  for (Index k = 0; k < size; ++k) {
    const double radius = std::hypot(L(k, k), x[k]);
    const double cosine = L(k, k) / radius, sine = x[k] / radius;
    L(k, k) = radius;
    // The rotation that turns (L_kk, x_k) into (radius, 0) is applied to the rest of both columns.
    const Index rest = size - k - 1;
    auto column = L.col(k).tail(rest);
    auto tail = x.tail(rest);
    for (Index i = 0; i < rest; ++i) {
      const double below = column[i];
      column[i] = cosine * below + sine * tail[i];
      tail[i] = cosine * tail[i] - sine * below;
    }
    for (Index j = 0; j < y.size(); ++j) {
      const double before = Z(k, j);
      Z(k, j) = cosine * before + sine * y[j];
      y[j] = cosine * y[j] - sine * before;
    }
  }
}

void solve_lower(const Matrix& L, Eigen::Ref<Matrix> x) {
  L.triangularView<Eigen::Lower>().solveInPlace(x);
}

void invert_precision(const Matrix& L, Matrix& inverse, const StopSignal& stop) {
  constexpr Index kPanel = 128;
  const Index size = L.rows();
  inverse.setZero(size, size);
  // L^-1 is lower triangular: a panel of its columns begins at its diagonal.
  for (Index first = 0; first < size; first += kPanel) {
    stop.check();
    const Index rest = size - first, width = std::min(kPanel, rest);
    auto panel = inverse.block(first, first, rest, width);
    panel.diagonal().setOnes();
    L.bottomRightCorner(rest, rest).triangularView<Eigen::Lower>().solveInPlace(panel);
  }
  // Of L^-T L^-1 the panels below the diagonal, each from itself and those to its right.
  Matrix product;
  for (Index first = 0; first < size; first += kPanel) {
    stop.check();
    const Index rest = size - first, width = std::min(kPanel, rest);
    product.noalias() =
        inverse.bottomRightCorner(rest, rest).transpose().triangularView<Eigen::Upper>() *
        inverse.block(first, first, rest, width);
    inverse.block(first, first, rest, width) = product;
    inverse.block(first, first + width, width, rest - width) =
        product.bottomRows(rest - width).transpose();
  }
}

void solve_precision(const Matrix& L, Eigen::Ref<Matrix> x) {
  solve_lower(L, x);
  L.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
}

}  // namespace rhc
