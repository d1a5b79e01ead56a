// Rows of numbers that one thread hands to another: the one that writes neither waits nor takes
// memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rhc {

class RowRing {
 public:
  RowRing(std::size_t rows, std::size_t columns);

  // Of the thread that writes: the next row, to be filled and then pushed. Empty where all rows
  // wait to be read; what should have been written then counts as lost.
  std::span<double> next();
  void push();

  // Of the thread that reads: the oldest row, which stays as it is until it is popped. Empty where
  // none waits.
  std::span<const double> front() const;
  void pop();

  std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  std::span<double> row(std::uint64_t number);

  const std::size_t rows_, columns_;
  std::vector<double> values_;
  // On cache lines of their own, for each is written by another thread.
  alignas(64) std::atomic<std::uint64_t> written_ = 0, lost_ = 0;
  alignas(64) std::atomic<std::uint64_t> read_ = 0;
};

}  // namespace rhc
