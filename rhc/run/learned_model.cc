#include "rhc/run/learned_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "rhc/core/error.h"
#include "rhc/explore/campaign.h"

namespace rhc {

namespace {

// Nothing while there is no checkpoint.
std::unique_ptr<const Campaign> restored(const RunRecord& run) {
  if (!run.checkpoint && run.damaged.empty()) return nullptr;
  const auto learned =
      run.checkpoint ? static_cast<std::size_t>(run.checkpoint->count("episode")) : 0;
  bool whole = run.checkpoint.has_value();
  for (std::size_t i = 0; i < learned; ++i) whole = whole && run.episodes[i];
  if (!whole)
    throw InputError(fmt::format("the model of '{}' cannot be relied on:\n     {}",
                                 run.path.string(), fmt::join(run.damaged, "\n     ")));
  auto campaign =
      std::make_unique<Campaign>(run.config, system_of(run), 1, Campaign::Role::replays);
  campaign->restore(*run.checkpoint, learned_transitions(run), ends_seen(run));
  return campaign;
}

}  // namespace

std::optional<DynamicsModel> learned_model(const RunRecord& run) {
  const auto campaign = restored(run);
  if (!campaign || !campaign->model()) return std::nullopt;
  return *campaign->model();
}

std::optional<DynamicsModel> task_model(const RunRecord& run, const StopSignal& stop) {
  const auto campaign = restored(run);
  if (!campaign || !campaign->model()) return std::nullopt;
  return campaign->learner().task_model(stop);
}

}  // namespace rhc
