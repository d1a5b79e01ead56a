// How long something takes that is done many times: quantiles to two per cent, in a fixed amount of
// memory.
#pragma once

#include <array>
#include <cstdint>

namespace rhc {

class Durations {
 public:
  void add(double seconds);

  std::uint64_t count() const { return count_; }
  double longest() const { return longest_; }
  // Not below the true one, and less than two per cent above; 0 where nothing was added.
  double quantile(double share) const;

 private:
  static constexpr std::size_t kBins = 1400;

  std::array<std::uint32_t, kBins> bins_{};
  std::uint64_t count_ = 0;
  double longest_ = 0;
};

}  // namespace rhc
