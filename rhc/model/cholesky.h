// What the posterior needs of the Cholesky factor L of its precision, A = L L'.
#pragma once

#include "rhc/core/stop_signal.h"
#include "rhc/core/types.h"

namespace rhc {

// Turns L into the factor of A + x x', in O(M^2). `x` is used up. The diagonal stays positive
// whatever x is.
void cholesky_update(Matrix& L, Vector& x);

// The same, and turns Z = L^-1 B into that of B + x y'. `y` (one entry a column of Z) is used up,
// too.
void cholesky_update(Matrix& L, Vector& x, Matrix& Z, Vector& y);

// x <- L^-1 x, whose squared norm is x' A^-1 x.
void solve_lower(const Matrix& L, Eigen::Ref<Matrix> x);

// A^-1, in a third of the operations that triangular solves of the identity take. Its rounding
// errors are harmless in a slope, and would not be in a posterior. Interrupted is thrown between
// panels where somebody wishes to stop.
void invert_precision(const Matrix& L, Matrix& inverse, const StopSignal& stop = {});

// x <- A^-1 x.
void solve_precision(const Matrix& L, Eigen::Ref<Matrix> x);

}  // namespace rhc
