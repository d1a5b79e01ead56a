#include "rhc/core/random.h"

#include <Random123/philox.h>

#include <cmath>

namespace rhc {

namespace {

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

// A polynomial, highest power first.
template <std::size_t N>
double polynomial(const double (&coefficients)[N], double x) {
  double value = 0;
  for (const double c : coefficients) value = value * x + c;
  return value;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t index)
    : seed_(seed), purpose_(hash_of(purpose)), index_(index) {}

std::uint64_t RandomStream::bits() {
  if (used_ == buffer_.size()) {
    const r123::Philox4x64 philox;
    const r123::Philox4x64::ctr_type counter = {{block_++, index_, 0, 0}};
    const r123::Philox4x64::key_type key = {{seed_, purpose_}};
    const auto block = philox(counter, key);
    for (unsigned i = 0; i < 4; ++i) buffer_[i] = block[i];
    used_ = 0;
  }
  return buffer_[used_++];
}

double RandomStream::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double RandomStream::normal() {
  // The middle of one of 2^53 equal cells, so that neither 0 nor 1 is met.
  return normal_quantile((static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53);
}

std::uint64_t RandomStream::below(std::uint64_t count) {
  // Rejection keeps the remainders equally likely.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % count;
  std::uint64_t draw = bits();
  while (draw >= limit) draw = bits();
  return draw % count;
}

Vector RandomStream::uniform_in(const Box& box) {
  Vector point(box.size());
  for (Index i = 0; i < box.size(); ++i) point[i] = uniform(box.lower[i], box.upper[i]);
  return point;
}

Vector RandomStream::normals(Index count) {
  Vector result(count);
  for (Index i = 0; i < count; ++i) result[i] = normal();
  return result;
}

// Wichura's rational approximations (algorithm AS 241), accurate to about 1e-16.
double normal_quantile(double probability) {
  static constexpr double kCentreTop[] = {2.5090809287301226727e3, 3.3430575583588128105e4,
                                          6.7265770927008700853e4, 4.5921953931549871457e4,
                                          1.3731693765509461125e4, 1.9715909503065514427e3,
                                          1.3314166789178437745e2, 3.3871328727963666080e0};
  static constexpr double kCentreBottom[] = {5.2264952788528545610e3, 2.8729085735721942674e4,
                                             3.9307895800092710610e4, 2.1213794301586595867e4,
                                             5.3941960214247511077e3, 6.8718700749205790830e2,
                                             4.2313330701600911252e1, 1.0};
  static constexpr double kNearTop[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                                        2.41780725177450611770e-1, 1.27045825245236838258e0,
                                        3.64784832476320460504e0,  5.76949722146069140550e0,
                                        4.63033784615654529590e0,  1.42343711074968357734e0};
  static constexpr double kNearBottom[] = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                           1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                           6.89767334985100004550e-1, 1.67638483018380384940e0,
                                           2.05319162663775882187e0,  1.0};
  static constexpr double kFarTop[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                                       1.24266094738807843860e-3, 2.65321895265761230930e-2,
                                       2.96560571828504891230e-1, 1.78482653991729133580e0,
                                       5.46378491116411436990e0,  6.65790464350110377720e0};
  static constexpr double kFarBottom[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                          1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                          1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                          5.99832206555887937690e-1,  1.0};
  const double q = probability - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kCentreTop, r) / polynomial(kCentreBottom, r);
  }
  const double tail = q < 0 ? probability : 1 - probability;
  if (tail <= 0) return q < 0 ? -kInfinity : kInfinity;
  const double r = std::sqrt(-std::log(tail));
  const double magnitude = r <= 5 ? polynomial(kNearTop, r - 1.6) / polynomial(kNearBottom, r - 1.6)
                                  : polynomial(kFarTop, r - 5) / polynomial(kFarBottom, r - 5);
  return q < 0 ? -magnitude : magnitude;
}

}  // namespace rhc
