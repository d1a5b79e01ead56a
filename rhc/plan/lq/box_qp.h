// A small quadratic program with bounds: min 1/2 x' H x + g' x, lower <= x <= upper.
#pragma once

#include <vector>

#include "rhc/core/types.h"

namespace rhc::lq {

// Memory and answer of one program; made once, used for every stage.
struct BoxQp {
  explicit BoxQp(Index size);

  // H must be positive definite. Returns false where it is not.
  bool solve(const ConstMatrixRef& H, const Eigen::Ref<const Vector>& g,
             const Eigen::Ref<const Vector>& lower, const Eigen::Ref<const Vector>& upper);

  // X <- -H_ff^-1 X in the rows of the free coordinates, 0 in the others: the gain of the free
  // part.
  void solve_free(Eigen::Ref<Matrix> X);

  Vector x;
  std::vector<bool> free;  // coordinates that are not held at a bound

 private:
  bool factorize(const ConstMatrixRef& H);

  Matrix factor_;  // of H, with the held coordinates' rows and columns those of the identity
  Vector gradient_, step_, candidate_;
};

}  // namespace rhc::lq
