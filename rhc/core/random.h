// Named streams of random numbers: the same (seed, purpose, index) gives the same numbers on every
// machine, in every order and on any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "rhc/core/types.h"

namespace rhc {

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

  std::uint64_t bits();
  double uniform();  // in [0, 1), a multiple of 2^-53
  double uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }
  double normal();
  std::uint64_t below(std::uint64_t count);  // in 0 .. count - 1

  Vector uniform_in(const Box& box);
  Vector normals(Index count);

 private:
  std::uint64_t seed_, purpose_, index_;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, 4> buffer_{};
  unsigned used_ = 4;
};

// The point below which a standard normal number falls with this probability.
double normal_quantile(double probability);

}  // namespace rhc
