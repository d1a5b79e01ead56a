// A run as it lies on disk, for whoever reads it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rhc/store/archive.h"
#include "rhc/store/belief_history.h"
#include "rhc/store/manifest.h"
#include "rhc/store/metrics.h"
#include "rhc/system/system.h"

namespace rhc {

// What a run came to, without what led there.
struct RunSummary {
  std::filesystem::path path;
  Manifest manifest;
  std::optional<std::string> owner;  // who writes it at this moment
  Config config;
  std::vector<MetricsRow> rows;  // row k is of episode k
  std::optional<Scores> best_achievable;

  std::string description;  // its system.toml; empty for a bundled system

  std::string remark;                  // of read_results: which rows were lacking, and what to do
  std::vector<std::string> recovered;  // what was mended in reading
  std::vector<std::string> damaged;    // what could not be, each naming its file

  int episodes_done() const { return rows.empty() ? 0 : rows.back().episode; }

  // Whether the rows reach as far as the manifest says.
  bool has_all_rows() const;

  // The manifest's, or "killed" where it says "running" and nobody is.
  std::string status() const;
};

struct RunRecord : RunSummary {
  SystemSpec spec;
  std::vector<BeliefRecord> beliefs;

  // Episode k is at k - 1; a missing or damaged one is empty. One more than was learned from may be
  // there: its process ended before it had learned from it.
  std::vector<std::optional<Trajectory>> episodes;
  std::vector<std::uint32_t> episode_checksums;
  std::optional<NamedValues> checkpoint;
};

// The system of a run: as its file system.toml describes it, or a bundled one by its name.
System system_of(const RunSummary& run);

// InputError where there is no run, one that cannot be understood at all (no manifest, no settings,
// a newer format), or a file that may not be read. Whatever else is wrong is listed in the record.
RunRecord read_run(const std::filesystem::path& path);

// `expected`: settings that the run probably has.
RunSummary read_summary(const std::filesystem::path& path, const Config* expected = nullptr);

// The same for whoever counts on every row: those that metrics.jsonl lacks are taken from the
// checkpoint, and the remark says so. Where they are not there either, it has not all rows.
RunSummary read_results(const std::filesystem::path& path, const Config* expected = nullptr);

// The run directories at and below a folder, in the order of their names; links are not followed.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& folder);

// The file in which a run keeps the description of its system.
inline constexpr char kSystemFile[] = "system.toml";

// "0007.csv"
std::string episode_file(int episode);

// How the settings must stay for a run to go on: all but the number of episodes.
std::string lasting_settings(Config config);

// The rows that a checkpoint knows, without their seconds.
std::vector<MetricsRow> rows_of(const NamedValues& checkpoint);

// The episodes that the checkpoint has learned from.
std::vector<Trajectory> learned_episodes(const RunRecord& run);

// In a checkpoint while `rhc evaluate --write` replaces the files besides it: it alone is right.
inline constexpr char kReplacing[] = "replacing";

}  // namespace rhc
