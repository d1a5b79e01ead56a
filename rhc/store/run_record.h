// All of a run as it lies on disk, for whoever reads it.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rhc/explore/learned_limits.h"
#include "rhc/store/belief_history.h"
#include "rhc/store/description_history.h"
#include "rhc/store/lab_record.h"
#include "rhc/store/ledger.h"
#include "rhc/store/run_summary.h"

namespace rhc {

struct RunRecord : RunSummary {
  SystemSpec spec;
  DescriptionHistory history;  // how the description was changed
  // The systems by these descriptions, the last one included, and which of them each episode was
  // made under; both empty where it was never changed.
  std::vector<System> descriptions;
  std::vector<int> made_under;
  std::vector<BeliefRecord> beliefs;

  // Episode k is at k - 1; a missing or damaged one is empty. One more than was learned from may be
  // there: its process ended before it had learned from it.
  std::vector<std::optional<Trajectory>> episodes;
  std::optional<NamedValues> checkpoint;

  std::optional<LabRecord> lab;  // where experiments are carried out by hand

  Ledger files;                   // of episodes, predictions and tasks
  std::set<std::string> changed;  // of those that the checkpoint knows: not as they were written

  // Of episode `index` + 1, as described when it was made; null: as now.
  const System* description_of(std::size_t index) const;
  const Box& limits_of(std::size_t index) const;

  // Whether a file of this name is there as it was written.
  bool holds(const std::string& name) const;
};

// What read_summary refuses is refused here; damage is listed, and what the checkpoint knows better
// is taken from there.
RunRecord read_run(const std::filesystem::path& path);

// What the checkpoint has learned from: of each episode by the description that it was made under.
std::vector<Transitions> learned_transitions(const RunRecord& run);
EndsSeen ends_seen(const RunRecord& run);

}  // namespace rhc
