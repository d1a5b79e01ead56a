#include "rhc/run/learned_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rhc/core/error.h"
#include "rhc/explore/campaign.h"

namespace rhc {

std::optional<DynamicsModel> learned_model(const RunRecord& run) {
  if (!run.checkpoint && run.damaged.empty()) return std::nullopt;
  const auto learned =
      run.checkpoint ? static_cast<std::size_t>(run.checkpoint->count("episode")) : 0;
  bool whole = run.checkpoint.has_value();
  for (std::size_t i = 0; i < learned; ++i) whole = whole && run.episodes[i];
  if (!whole)
    throw InputError(fmt::format("the model of '{}' cannot be relied on:\n     {}",
                                 run.path.string(), fmt::join(run.damaged, "\n     ")));
  Campaign campaign(run.config, system_of(run), 1, Campaign::Role::replays);
  campaign.restore(*run.checkpoint, learned_transitions(run), ends_seen(run));
  if (!campaign.model()) return std::nullopt;
  return *campaign.model();
}

}  // namespace rhc
