// Prints random lists, a probability and our quantile, for numpy to compute again: a line is
// "PROBABILITY QUANTILE VALUE VALUE ...".
#include <fmt/format.h>

#include <cmath>

#include "rhc/core/random.h"
#include "rhc/study/aggregate.h"

int main() {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    rhc::RandomStream randomness(seed, "quantiles");
    std::vector<double> values(1 + randomness.below(40));
    const bool whole = seed % 3 == 0;  // with many equal ones
    for (double& v : values)
      v = whole ? static_cast<double>(randomness.below(5))
                : randomness.normal() * std::exp(randomness.uniform(-10, 10));
    const double usual[] = {0.1, 0.5, 0.9};
    const double probability = seed % 2 ? usual[seed / 2 % 3] : randomness.uniform();
    fmt::print("{} {}", probability, rhc::quantile(values, probability));
    for (const double v : values) fmt::print(" {}", v);
    fmt::print("\n");
  }
}
