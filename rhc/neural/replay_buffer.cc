#include "rhc/neural/replay_buffer.h"

#include <fmt/format.h>

#include <algorithm>

#include "rhc/core/error.h"

namespace rhc {

ReplayBuffer::ReplayBuffer(Index observations, Index actions, Index capacity, at::Device device)
    : observations_(observations),
      actions_(actions),
      rows_(at::zeros({capacity, 2 * observations + actions + 2},
                      at::TensorOptions(at::kFloat).device(device))) {}

void ReplayBuffer::add(const Batch& batch) {
  const at::NoGradGuard no_gradient;
  const Tensor rows = at::cat({batch.observations, batch.actions, batch.rewards.unsqueeze(1),
                               batch.next_observations, batch.continues.unsqueeze(1)},
                              1);
  const Index capacity = rows_.size(0);
  for (Index done = 0; done < rows.size(0);) {
    const Index count = std::min(rows.size(0) - done, capacity - next_);
    rows_.narrow(0, next_, count).copy_(rows.narrow(0, done, count));
    done += count;
    next_ = (next_ + count) % capacity;
    size_ = std::min(size_ + count, capacity);
  }
}

Batch ReplayBuffer::sample(Index count, RandomStream& randomness) const {
  const Tensor rows =
      rows_.index_select(0, integers_below(size_, count, randomness, rows_.device()));
  const Index n = observations_, m = actions_;
  return {rows.narrow(1, 0, n), rows.narrow(1, n, m), rows.select(1, n + m),
          rows.narrow(1, n + m + 1, n), rows.select(1, 2 * n + m + 1)};
}

void ReplayBuffer::save(NamedValues& archive, const std::string& name) const {
  archive.put(name + "/next", next_);
  archive.put(name + "/rows", columns_of(rows_.narrow(0, 0, size_)));
}

void ReplayBuffer::restore(const NamedValues& archive, const std::string& name) {
  next_ = archive.count(name + "/next");
  const Matrix& kept = archive.matrix(name + "/rows", rows_.size(1), -1);
  const Index capacity = rows_.size(0);
  const bool possible =
      kept.cols() < capacity ? next_ == kept.cols() : kept.cols() == capacity && next_ < capacity;
  if (!possible)
    throw InputError(fmt::format(
        "the checkpoint's memory '{}' has {} transitions and goes on at {}: it was not one of {}",
        name, kept.cols(), next_, capacity));
  size_ = kept.cols();
  rows_.narrow(0, 0, size_).copy_(rows_of(kept, rows_.device()));
}

}  // namespace rhc
