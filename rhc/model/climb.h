// The way up to the next maximum of a smooth function.
#pragma once

#include <functional>

#include "rhc/core/types.h"

namespace rhc {

struct Bounds {
  Vector lower, upper;
};

struct Peak {
  Vector theta;
  double value;
};

// Follows the gradient from a point, by L-BFGS, and returns the best point met on the way. The
// function leaves its gradient where that is not null; what it throws ends the climb.
Peak climb(const std::function<double(const Vector& theta, double* gradient)>& function,
           const Bounds& bounds, const Vector& start, double tolerance, int most_evaluations);

}  // namespace rhc
