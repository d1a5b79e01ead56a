// The last transitions that were met, to learn from again and again.
#pragma once

#include <string>

#include "rhc/neural/tensors.h"

namespace rhc {

// One transition a row; `continues` is 0 where the episode ended for good.
struct Batch {
  Tensor observations, actions, rewards, next_observations, continues;
};

class ReplayBuffer {
 public:
  ReplayBuffer(Index observations, Index actions, Index capacity, at::Device device);

  Index size() const { return size_; }

  // Where it is full, the oldest go.
  void add(const Batch& batch);
  // With replacement.
  Batch sample(Index count, RandomStream& randomness) const;

  void save(NamedValues& archive, const std::string& name) const;
  void restore(const NamedValues& archive, const std::string& name);

 private:
  Index observations_, actions_;
  Tensor rows_;
  Index size_ = 0, next_ = 0;
};

}  // namespace rhc
