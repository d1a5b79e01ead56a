// Every action uniform in its bounds.
#pragma once

#include <cstdint>

#include "rhc/explore/explorer.h"

namespace rhc {

class RandomExplorer final : public Explorer {
 public:
  RandomExplorer(Box action_bounds, int horizon, std::uint64_t seed);

  Decision decide(const Question& question) override;
  void learn(const Matrix&, const Trajectory&) override {}

 private:
  Box action_bounds_;
  int horizon_;
  std::uint64_t seed_;
};

}  // namespace rhc
