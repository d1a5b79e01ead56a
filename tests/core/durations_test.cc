#include "rhc/core/durations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "rhc/core/random.h"

namespace rhc {
namespace {

TEST(Durations, AreNothingWhereNothingWasAdded) {
  const Durations none;
  EXPECT_EQ(none.count(), 0u);
  EXPECT_EQ(none.quantile(0.99), 0);
  EXPECT_EQ(none.longest(), 0);
}

TEST(Durations, HaveTheQuantilesOfASortedList) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream randomness(seed, "durations");
    Durations durations;
    std::vector<double> all;
    for (int i = 0; i < 1000; ++i) {
      all.push_back(std::exp(randomness.uniform(std::log(1e-8), std::log(100))));
      durations.add(all.back());
    }
    std::sort(all.begin(), all.end());
    for (const double share : {0.001, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const double exact = all[static_cast<std::size_t>(std::ceil(share * 1000)) - 1];
      EXPECT_GE(durations.quantile(share), exact * (1 - 1e-9));
      EXPECT_LE(durations.quantile(share), 1.0201 * exact);
    }
    EXPECT_EQ(durations.longest(), all.back());
    EXPECT_EQ(durations.quantile(1), all.back());
  }
}

TEST(Durations, TakeWhatIsTooShortOrTooLong) {
  Durations durations;
  for (const double odd : {0.0, -1.0, 1e-12, 1e9}) durations.add(odd);
  EXPECT_EQ(durations.count(), 4u);
  EXPECT_LE(durations.quantile(0.5), 1e-9);
  EXPECT_EQ(durations.longest(), 1e9);
}

}  // namespace
}  // namespace rhc
