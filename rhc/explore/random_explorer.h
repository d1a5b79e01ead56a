// Uniform random actions: what every other method must beat.
#pragma once

#include "rhc/core/random.h"
#include "rhc/explore/explorer.h"

namespace rhc {

class RandomExplorer final : public Explorer {
 public:
  RandomExplorer(Box action_bounds, int horizon, std::uint64_t seed);

  void begin_episode(int episode, const BayesianLinearModel* belief) override;
  Vector act(const Vector& observation, int step) override;
  void end_episode(const Trajectory& trajectory) override;
  Matrix actions() const override;

 private:
  Box action_bounds_;
  int horizon_;
  std::uint64_t seed_;
  RandomStream randomness_;
};

}  // namespace rhc
