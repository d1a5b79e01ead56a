#include "rhc/explore/random_explorer.h"

#include <utility>

namespace rhc {

RandomExplorer::RandomExplorer(Box action_bounds, int horizon, std::uint64_t seed)
    : action_bounds_(std::move(action_bounds)), horizon_(horizon), seed_(seed) {}

Decision RandomExplorer::decide(const Question& question) {
  // A stream an episode, so that an episode's actions do not depend on how long others were.
  RandomStream randomness(seed_, "random actions", static_cast<std::uint64_t>(question.episode));
  Matrix actions(action_bounds_.size(), horizon_);
  for (Index t = 0; t < actions.cols(); ++t) actions.col(t) = randomness.uniform_in(action_bounds_);
  return {.actions = std::move(actions)};
}

}  // namespace rhc
