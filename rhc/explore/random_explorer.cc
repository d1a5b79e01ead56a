#include "rhc/explore/random_explorer.h"

#include <utility>

#include "rhc/plan/plan_with_model.h"

namespace rhc {

RandomExplorer::RandomExplorer(SystemSpec spec, std::uint64_t seed)
    : spec_(std::move(spec)), seed_(seed) {}

Decision RandomExplorer::decide(const Question& question) {
  // A stream an episode, so that an episode's actions do not depend on how long others were.
  RandomStream randomness(seed_, "random actions", static_cast<std::uint64_t>(question.episode));
  const Box bounds = question.model ? spec_.action_bounds : gentle_bounds(spec_);
  Matrix actions(bounds.size(), spec_.horizon);
  for (Index t = 0; t < actions.cols(); ++t) actions.col(t) = randomness.uniform_in(bounds);
  return {.actions = with_limited_rate(spec_, std::move(actions),
                                       last_action(question.before, action_at_rest(spec_)))};
}

}  // namespace rhc
