#include "rhc/plan/lq/box_qp.h"

#include <algorithm>
#include <cmath>

namespace rhc::lq {

namespace {

// Cholesky in place, lower triangle; small enough that blocking would only cost.
bool cholesky(Matrix& A) {
  const Index n = A.rows();
  for (Index j = 0; j < n; ++j) {
    double pivot = A(j, j);
    for (Index k = 0; k < j; ++k) pivot -= A(j, k) * A(j, k);
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    A(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < n; ++i) {
      double value = A(i, j);
      for (Index k = 0; k < j; ++k) value -= A(i, k) * A(j, k);
      A(i, j) = value / A(j, j);
    }
  }
  return true;
}

template <class Column>
void solve_cholesky(const Matrix& L, Column&& x) {
  const Index n = L.rows();
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < i; ++k) x[i] -= L(i, k) * x[k];
    x[i] /= L(i, i);
  }
  for (Index i = n - 1; i >= 0; --i) {
    for (Index k = i + 1; k < n; ++k) x[i] -= L(k, i) * x[k];
    x[i] /= L(i, i);
  }
}

}  // namespace

BoxQp::BoxQp(Index size)
    : x(Vector::Zero(size)),
      free(static_cast<std::size_t>(size), true),
      factor_(size, size),
      gradient_(size),
      step_(size),
      candidate_(size) {}

bool BoxQp::factorize(const ConstMatrixRef& H) {
  factor_ = H;
  for (Index i = 0; i < x.size(); ++i) {
    if (free[static_cast<std::size_t>(i)]) continue;
    factor_.row(i).setZero();
    factor_.col(i).setZero();
    factor_(i, i) = 1;
  }
  return cholesky(factor_);
}

bool BoxQp::solve(const ConstMatrixRef& H, const Eigen::Ref<const Vector>& g,
                  const Eigen::Ref<const Vector>& lower, const Eigen::Ref<const Vector>& upper) {
  const Index n = x.size();
  const auto value_of = [&](const Vector& p) {
    double value = 0;
    for (Index j = 0; j < n; ++j) {
      double row = 0;
      for (Index i = 0; i < n; ++i) row += H(i, j) * p[i];
      value += p[j] * (0.5 * row + g[j]);
    }
    return value;
  };

  // Start from the solution without coupling, which for one action is the solution.
  for (Index i = 0; i < n; ++i) {
    if (!(H(i, i) > 0)) return false;
    x[i] = std::clamp(-g[i] / H(i, i), lower[i], upper[i]);
  }

  // Projected Newton: coordinates that a bound holds are left out, the others take a Newton step
  // that is bent back onto the bounds until it descends.
  constexpr int kMostIterations = 200;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    bool changed = iteration == 0;
    double largest = 0;
    for (Index i = 0; i < n; ++i) {
      gradient_[i] = g[i];
      for (Index j = 0; j < n; ++j) gradient_[i] += H(i, j) * x[j];
      const bool held =
          (x[i] <= lower[i] && gradient_[i] >= 0) || (x[i] >= upper[i] && gradient_[i] <= 0);
      changed |= free[static_cast<std::size_t>(i)] == held;
      free[static_cast<std::size_t>(i)] = !held;
      // In units of the coordinate: what a step along it alone would move.
      if (!held) largest = std::max(largest, std::abs(gradient_[i]) / std::sqrt(H(i, i)));
    }
    if (changed && !factorize(H)) return false;
    double scale = 0;
    for (Index i = 0; i < n; ++i) scale = std::max(scale, std::abs(g[i]) / std::sqrt(H(i, i)));
    if (largest <= 1e-12 * scale) return true;

    for (Index i = 0; i < n; ++i)
      step_[i] = free[static_cast<std::size_t>(i)] ? -gradient_[i] : 0.0;
    solve_cholesky(factor_, step_);
    const double before = value_of(x);
    bool descended = false;
    for (double length = 1; length > 1e-6 && !descended; length *= 0.5) {
      double slope = 0;
      for (Index i = 0; i < n; ++i) {
        candidate_[i] = std::clamp(x[i] + length * step_[i], lower[i], upper[i]);
        slope += gradient_[i] * (candidate_[i] - x[i]);
      }
      descended = value_of(candidate_) <= before + 0.1 * slope;
    }
    if (!descended) {
      // A step that is bent back may not descend at any length; one coordinate at a time does.
      candidate_ = x;
      for (Index i = 0; i < n; ++i) {
        double slope = g[i];
        for (Index j = 0; j < n; ++j) slope += H(i, j) * candidate_[j];
        candidate_[i] = std::clamp(candidate_[i] - slope / H(i, i), lower[i], upper[i]);
      }
      if (!(value_of(candidate_) < before)) return true;  // at rounding level
    }
    x = candidate_;
  }
  return x.allFinite();  // as good as rounding allows
}

void BoxQp::solve_free(Eigen::Ref<Matrix> X) {
  for (Index j = 0; j < X.cols(); ++j) {
    for (Index i = 0; i < X.rows(); ++i)
      X(i, j) = free[static_cast<std::size_t>(i)] ? -X(i, j) : 0.0;
    solve_cholesky(factor_, X.col(j));
  }
}

}  // namespace rhc::lq
