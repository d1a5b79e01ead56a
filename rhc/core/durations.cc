#include "rhc/core/durations.h"

#include <algorithm>
#include <cmath>

namespace rhc {

namespace {

// Of the first bin, from nothing; what is shorter is too short to be measured.
constexpr double kShortest = 1e-9;
const double kBinWidth = std::log(1.02);

}  // namespace

void Durations::add(double seconds) {
  const double bin = seconds > kShortest ? std::ceil(std::log(seconds / kShortest) / kBinWidth) : 0;
  ++bins_[static_cast<std::size_t>(std::min(bin, static_cast<double>(kBins - 1)))];
  ++count_;
  longest_ = std::max(longest_, seconds);
}

double Durations::quantile(double share) const {
  const double wanted = std::max(1.0, std::ceil(share * static_cast<double>(count_)));
  double seen = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    seen += bins_[i];
    if (seen >= wanted)
      return std::min(longest_, kShortest * std::exp(kBinWidth * static_cast<double>(i)));
  }
  return longest_;
}

}  // namespace rhc
