#include "rhc/core/sine_cosine.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace rhc {

namespace {

// Up to here the three-part reduction below keeps full accuracy; beyond, the C library takes over.
constexpr double kLargest = 1e5;

constexpr double kTwoOverPi = 6.36619772367581382433e-01;
// pi / 2 in three parts; the first two have 33 bits, so that their multiples are exact.
constexpr double kHalfPi1 = 1.57079632673412561417e+00;
constexpr double kHalfPi2 = 6.07710050630396597660e-11;
constexpr double kHalfPi3 = 2.02226624879595063154e-21;
// Adding 1.5 * 2^52 leaves the rounded integer in the low bits.
constexpr double kRounder = 6755399441055744.0;

// Polynomials on [-pi/4, pi/4]; branch-free, so that the compiler turns the loops into vector code.
inline double sine_polynomial(double r, double r2) {
  double p = 1.58962301576546568060e-10;
  p = p * r2 - 2.50507477628578072866e-8;
  p = p * r2 + 2.75573136213857245213e-6;
  p = p * r2 - 1.98412698295895385996e-4;
  p = p * r2 + 8.33333333332211858878e-3;
  p = p * r2 - 1.66666666666666307295e-1;
  return r + r * r2 * p;
}

inline double cosine_polynomial(double r2) {
  double p = -1.13585365213876817300e-11;
  p = p * r2 + 2.08757008419747316778e-9;
  p = p * r2 - 2.75573141792967388112e-7;
  p = p * r2 + 2.48015872888517045348e-5;
  p = p * r2 - 1.38888888888730564116e-3;
  p = p * r2 + 4.16666666666665929218e-2;
  return 1.0 - 0.5 * r2 + r2 * r2 * p;
}

struct Reduced {
  double r;
  std::uint64_t quadrant;
};

inline Reduced reduce(double x) {
  const double shifted = x * kTwoOverPi + kRounder;
  const double n = shifted - kRounder;
  return {((x - n * kHalfPi1) - n * kHalfPi2) - n * kHalfPi3,
          std::bit_cast<std::uint64_t>(shifted)};
}

// Picks `even` or `odd` by the quadrant's parity and sets the sign, by bits alone.
inline double assemble(double even, double odd, std::uint64_t quadrant,
                       std::uint64_t sign_quadrant) {
  const std::uint64_t use_odd = 0 - (quadrant & 1);
  const std::uint64_t sign = (sign_quadrant & 2) << 62;
  const std::uint64_t bits = (std::bit_cast<std::uint64_t>(even) & ~use_odd) |
                             (std::bit_cast<std::uint64_t>(odd) & use_odd);
  return std::bit_cast<double>(bits ^ sign);
}

bool all_small(const double* x, std::size_t count) {
  // Counting instead of stopping early keeps this loop vectorised; a NaN counts as large.
  std::size_t large = 0;
  for (std::size_t i = 0; i < count; ++i) large += !(std::abs(x[i]) <= kLargest);
  return large == 0;
}

}  // namespace

void sine_cosine(const double* x, std::size_t count, double* sine, double* cosine) {
  if (!all_small(x, count)) {
    for (std::size_t i = 0; i < count; ++i) {
      const double value = x[i];
      sine[i] = std::sin(value);
      cosine[i] = std::cos(value);
    }
    return;
  }
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const Reduced reduced = reduce(x[i]);
    const double r2 = reduced.r * reduced.r;
    const double s = sine_polynomial(reduced.r, r2), c = cosine_polynomial(r2);
    sine[i] = assemble(s, c, reduced.quadrant, reduced.quadrant);
    cosine[i] = assemble(c, s, reduced.quadrant, reduced.quadrant + 1);
  }
}

void sine_only(const double* x, std::size_t count, double* sine) {
  if (!all_small(x, count)) {
    for (std::size_t i = 0; i < count; ++i) sine[i] = std::sin(x[i]);
    return;
  }
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const Reduced reduced = reduce(x[i]);
    const double r2 = reduced.r * reduced.r;
    sine[i] = assemble(sine_polynomial(reduced.r, r2), cosine_polynomial(r2), reduced.quadrant,
                       reduced.quadrant);
  }
}

}  // namespace rhc
