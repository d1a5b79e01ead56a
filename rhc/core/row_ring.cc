#include "rhc/core/row_ring.h"

namespace rhc {

RowRing::RowRing(std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), values_(rows * columns) {}

std::span<double> RowRing::row(std::uint64_t number) {
  return std::span(values_).subspan(number % rows_ * columns_, columns_);
}

std::span<double> RowRing::next() {
  const std::uint64_t number = written_.load(std::memory_order_relaxed);
  if (number - read_.load(std::memory_order_acquire) < rows_) return row(number);
  lost_.fetch_add(1, std::memory_order_relaxed);
  return {};
}

void RowRing::push() { written_.fetch_add(1, std::memory_order_release); }

std::span<const double> RowRing::front() const {
  const std::uint64_t number = read_.load(std::memory_order_relaxed);
  if (number == written_.load(std::memory_order_acquire)) return {};
  return std::span(values_).subspan(number % rows_ * columns_, columns_);
}

void RowRing::pop() { read_.fetch_add(1, std::memory_order_release); }

}  // namespace rhc
