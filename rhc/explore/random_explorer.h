// Every action uniform in its bounds; while nothing is known, in the gentle share of them.
#pragma once

#include <cstdint>

#include "rhc/explore/explorer.h"

namespace rhc {

class RandomExplorer final : public Explorer {
 public:
  RandomExplorer(SystemSpec spec, std::uint64_t seed);

  Decision decide(const Question& question) override;
  void learn(const Matrix&, const Trajectory&) override {}

 private:
  SystemSpec spec_;
  std::uint64_t seed_;
};

}  // namespace rhc
