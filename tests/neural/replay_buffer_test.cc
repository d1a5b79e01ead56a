#include "rhc/neural/replay_buffer.h"

#include <gtest/gtest.h>

#include <set>

#include "rhc/core/error.h"
#include "rhc/store/archive.h"

namespace rhc {
namespace {

// Transitions that say their number in every entry.
Batch numbered(int first, int count) {
  const Tensor n = at::arange(first, first + count, at::kFloat);
  const Tensor column = n.unsqueeze(1);
  return {at::cat({column, column}, 1), column, n, at::cat({column, column}, 1), n};
}

std::set<float> met(const ReplayBuffer& buffer) {
  RandomStream randomness(1, "sample");
  const Batch batch = buffer.sample(500, randomness);
  std::set<float> numbers;
  for (Index i = 0; i < 500; ++i) {
    const float n = batch.rewards[i].item<float>();
    numbers.insert(n);
    EXPECT_EQ(batch.observations[i][1].item<float>(), n);
    EXPECT_EQ(batch.actions[i][0].item<float>(), n);
    EXPECT_EQ(batch.next_observations[i][0].item<float>(), n);
    EXPECT_EQ(batch.continues[i].item<float>(), n);
  }
  return numbers;
}

TEST(ReplayBuffer, KeepsTransitionsWholeAndSamplesAllOfThem) {
  ReplayBuffer buffer(2, 1, 10, at::kCPU);
  buffer.add(numbered(0, 3));
  buffer.add(numbered(3, 1));
  EXPECT_EQ(buffer.size(), 4);
  EXPECT_EQ(met(buffer), (std::set<float>{0, 1, 2, 3}));
}

TEST(ReplayBuffer, ForgetsTheOldest) {
  ReplayBuffer buffer(2, 1, 5, at::kCPU);
  buffer.add(numbered(0, 4));
  buffer.add(numbered(4, 3));
  EXPECT_EQ(buffer.size(), 5);
  EXPECT_EQ(met(buffer), (std::set<float>{2, 3, 4, 5, 6}));
  buffer.add(numbered(7, 12));
  EXPECT_EQ(met(buffer), (std::set<float>{14, 15, 16, 17, 18}));
}

TEST(ReplayBuffer, ComesBackFromAnArchiveAndForgetsTheSameNext) {
  ReplayBuffer buffer(2, 1, 5, at::kCPU), other(2, 1, 5, at::kCPU);
  buffer.add(numbered(0, 7));
  NamedValues archive;
  buffer.save(archive, "b");
  other.restore(parse_archive(archive_bytes(archive), "test"), "b");
  EXPECT_EQ(met(other), met(buffer));
  other.add(numbered(7, 2));
  EXPECT_EQ(met(other), (std::set<float>{4, 5, 6, 7, 8}));
}

TEST(ReplayBuffer, RefusesAnArchiveOfAnotherSize) {
  ReplayBuffer buffer(2, 1, 5, at::kCPU), smaller(2, 1, 4, at::kCPU), larger(2, 1, 6, at::kCPU);
  buffer.add(numbered(0, 7));
  NamedValues archive;
  buffer.save(archive, "b");
  EXPECT_THROW(smaller.restore(archive, "b"), InputError);
  EXPECT_THROW(larger.restore(archive, "b"), InputError);
}

}  // namespace
}  // namespace rhc
