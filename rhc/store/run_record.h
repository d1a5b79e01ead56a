// A run as it lies on disk, for whoever reads it.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rhc/describe/system_file.h"
#include "rhc/store/archive.h"
#include "rhc/store/belief_history.h"
#include "rhc/store/description_history.h"
#include "rhc/store/lab_record.h"
#include "rhc/store/ledger.h"
#include "rhc/store/manifest.h"
#include "rhc/store/metrics.h"

namespace rhc {

// What a run came to, without what led there.
struct RunSummary {
  std::filesystem::path path;
  Manifest manifest;
  std::optional<std::string> owner;  // who writes it at this moment
  Config config;
  std::vector<MetricsRow> rows;  // row k is of episode k
  std::optional<Scores> best_achievable;

  std::string description;  // of its system, as system.toml has it; empty for a bundled one

  std::string version_remark;          // where another version of rhc wrote it
  std::string remark;                  // which rows were lacking, and what to do; empty: none
  std::vector<std::string> recovered;  // what was mended in reading
  std::vector<std::string> damaged;    // what could not be, each naming its file

  // What a person should know of it although nothing is damaged.
  std::vector<std::string> remarks() const;

  int episodes_done() const { return rows.empty() ? 0 : rows.back().episode; }

  // Whether the rows reach as far as the manifest says.
  bool has_all_rows() const;

  // By another process: its files are then ahead of each other.
  bool being_written() const;

  // The manifest's, or "killed" where it says "running" and nobody is.
  std::string status() const;
};

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

// The system of a run: as its description says, or a bundled one by its name.
System system_of(const RunSummary& run);

// Of a run that has a description.
SystemFile system_file_of(const RunSummary& run);

// InputError where there is no run, one that cannot be understood at all (no manifest, no settings,
// a newer format), or a file that may not be read. Whatever else is wrong is listed in the record,
// and what the checkpoint knows better is taken from there.
RunRecord read_run(const std::filesystem::path& path);

// The same of what it came to. Rows that metrics.jsonl lacks are taken from the checkpoint, and the
// remark says so; where they are not there either, it has not all rows. `expected`: settings that
// the run probably has.
RunSummary read_summary(const std::filesystem::path& path, const Config* expected = nullptr);

// The run directories at and below a folder, in the order of their names; links are not followed.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& folder);

// The file in which a run keeps the description of its system.
inline constexpr char kSystemFile[] = "system.toml";

// The file in which it keeps how that was changed.
inline constexpr char kHistoryFile[] = "history.jsonl";

// "0007.csv"
std::string episode_file(int episode);

// "tasks/0007.csv"
std::string episode_name(const char* folder, int episode);

// How the settings must stay for a run to go on: all but the number of episodes.
std::string lasting_settings(Config config);

// The rows that a checkpoint knows, without their seconds.
std::vector<MetricsRow> rows_of(const NamedValues& checkpoint);

// What the checkpoint has learned from: of each episode by the description that it was made under.
std::vector<Transitions> learned_transitions(const RunRecord& run);

// In a checkpoint while `rhc evaluate --write` replaces the files besides it: it alone is right.
inline constexpr char kReplacing[] = "replacing";

// The history of the description in a checkpoint, without its times.
inline constexpr char kHistoryKept[] = "history";

// The text of best_achievable.json in a checkpoint.
inline constexpr char kBestAchievable[] = "best_achievable";

}  // namespace rhc
