// How much some observations tell: the log det that the planner and all who count nats share.
#pragma once

#include "rhc/core/types.h"

namespace rhc {

// `gram` holds the lower triangle of I + Z' Z (or, `transposed`, of I + Z Z') and is replaced by
// its Cholesky factor L. Returns log det L, half of the gram's. A posterior that knows next to
// nothing drowns the identity in rounding errors: where `gram` is not positive any more, L comes
// from a QR of [Z; I]. Not a number where Z is not finite.
double factorize_gram(Matrix& gram, const Matrix& Z, bool transposed = false);

}  // namespace rhc
