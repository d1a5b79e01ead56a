#include "rhc/core/row_ring.h"

#include <gtest/gtest.h>

#include <thread>

namespace rhc {
namespace {

bool put(RowRing& ring, double value) {
  const std::span<double> row = ring.next();
  if (row.empty()) return false;
  for (double& one : row) one = value;
  ring.push();
  return true;
}

TEST(RowRing, HandsRowsOverInOrder) {
  RowRing ring(4, 3);
  EXPECT_TRUE(ring.front().empty());
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(put(ring, i));
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(ring.front().size(), 3u);
      EXPECT_EQ(ring.front()[2], i);
      ring.pop();
    }
    EXPECT_TRUE(ring.front().empty());
  }
  EXPECT_EQ(ring.lost(), 0u);
}

TEST(RowRing, CountsWhatHasNoRoomAndKeepsWhatWaits) {
  RowRing ring(2, 1);
  EXPECT_TRUE(put(ring, 1));
  EXPECT_TRUE(put(ring, 2));
  EXPECT_FALSE(put(ring, 3));
  EXPECT_FALSE(put(ring, 4));
  EXPECT_EQ(ring.lost(), 2u);
  EXPECT_EQ(ring.front()[0], 1);
  ring.pop();
  EXPECT_TRUE(put(ring, 5));
  EXPECT_EQ(ring.front()[0], 2);
}

// Whatever two threads do: each row comes whole, in order, and what does not come was counted.
TEST(RowRing, LosesNothingThatItDoesNotCount) {
  constexpr int kRows = 100000;
  RowRing ring(16, 5);
  std::atomic<bool> written = false;
  std::thread writer([&] {
    for (int i = 1; i <= kRows; ++i) put(ring, i);
    written = true;
  });
  double last = 0;
  std::uint64_t seen = 0;
  bool whole = true;
  for (bool over = false; !over;) {
    over = written;
    for (auto row = ring.front(); !row.empty(); row = ring.front()) {
      for (const double one : row) whole = whole && one == row[0];
      whole = whole && row[0] > last;
      last = row[0];
      ++seen;
      ring.pop();
    }
  }
  writer.join();
  EXPECT_TRUE(whole);
  EXPECT_EQ(seen + ring.lost(), static_cast<std::uint64_t>(kRows));
}

}  // namespace
}  // namespace rhc
