#include "rhc/explore/random_explorer.h"

#include <utility>

namespace rhc {

RandomExplorer::RandomExplorer(Box action_bounds, std::uint64_t seed)
    : action_bounds_(std::move(action_bounds)), seed_(seed), randomness_(seed, "random actions") {}

void RandomExplorer::begin_episode(int episode, const BayesianLinearModel*) {
  // A stream an episode, so that an episode's actions do not depend on how long others were.
  randomness_ = RandomStream(seed_, "random actions", static_cast<std::uint64_t>(episode));
}

Vector RandomExplorer::act(const Vector&, int) { return randomness_.uniform_in(action_bounds_); }

void RandomExplorer::end_episode(const Trajectory&) {}

}  // namespace rhc
