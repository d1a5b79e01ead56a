#include "rhc/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhc {
namespace {

TEST(ParallelFor, CallsEachIndexOnceOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5, 100}) {
    std::vector<std::atomic<int>> calls(37);
    parallel_for(37, threads, [&](int i) { ++calls[static_cast<std::size_t>(i)]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1) << threads << " threads";
  }
}

TEST(ParallelFor, DoesNothingForAnEmptyRange) {
  parallel_for(0, 4, [](int) { FAIL(); });
  parallel_for(-3, 4, [](int) { FAIL(); });
}

TEST(ParallelFor, ThrowsTheFirstFailureByIndexOnAnyNumberOfThreads) {
  for (const int threads : {1, 4}) {
    std::atomic<int> calls = 0;
    try {
      parallel_for(20, threads, [&](int i) {
        ++calls;
        if (i == 5 || i == 17) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "5");
    }
    EXPECT_EQ(calls, 20) << "one failure must not keep the others from their work";
  }
}

}  // namespace
}  // namespace rhc
