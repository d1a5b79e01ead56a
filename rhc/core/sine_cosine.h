// Sine and cosine of many numbers at once, the inner loop of every feature.
#pragma once

#include <cstddef>

namespace rhc {

// sine[i] = sin(x[i]) and cosine[i] = cos(x[i]) to 2 units in the last place; `sine` may be `x`.
void sine_cosine(const double* x, std::size_t count, double* sine, double* cosine);
void sine_only(const double* x, std::size_t count, double* sine);

}  // namespace rhc
