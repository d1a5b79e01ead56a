#include "rhc/explore/random_explorer.h"

#include <utility>

namespace rhc {

RandomExplorer::RandomExplorer(Box action_bounds, int horizon, std::uint64_t seed)
    : action_bounds_(std::move(action_bounds)),
      horizon_(horizon),
      seed_(seed),
      randomness_(seed, "random actions") {}

void RandomExplorer::begin_episode(int episode, const BayesianLinearModel*) {
  // A stream an episode, so that an episode's actions do not depend on how long others were.
  randomness_ = RandomStream(seed_, "random actions", static_cast<std::uint64_t>(episode));
}

Vector RandomExplorer::act(const Vector&, int) { return randomness_.uniform_in(action_bounds_); }

Matrix RandomExplorer::actions() const {
  RandomStream same = randomness_;
  Matrix actions(action_bounds_.size(), horizon_);
  for (Index t = 0; t < actions.cols(); ++t) actions.col(t) = same.uniform_in(action_bounds_);
  return actions;
}

void RandomExplorer::end_episode(const Trajectory&) {}

}  // namespace rhc
