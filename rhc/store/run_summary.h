// What a run came to, for whoever compares, lists or opens it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rhc/core/named_values.h"
#include "rhc/describe/system_file.h"
#include "rhc/store/manifest.h"
#include "rhc/store/metrics.h"

namespace rhc {

// Without what led there.
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

// InputError where there is no run, one that cannot be understood at all (no manifest, no settings,
// a newer format), or a file that may not be read. Whatever else is wrong is listed in the summary,
// and what the checkpoint knows better is taken from there. Rows that metrics.jsonl lacks are taken
// from the checkpoint, and the remark says so; where they are not there either, it has not all
// rows. `expected`: settings that the run probably has.
RunSummary read_summary(const std::filesystem::path& path, const Config* expected = nullptr);

// The run directories at and below a folder, in the order of their names; links are not followed.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& folder);

// Whether its experiments are carried out by hand.
bool is_laboratory(const RunSummary& run);

// The system of a run: as its description says, or a bundled one by its name.
System system_of(const RunSummary& run);

// Of a run that has a description.
SystemFile system_file_of(const RunSummary& run);

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

// In a checkpoint while `rhc evaluate --write` replaces the files besides it: it alone is right.
inline constexpr char kReplacing[] = "replacing";

// The history of the description in a checkpoint, without its times.
inline constexpr char kHistoryKept[] = "history";

// The text of best_achievable.json in a checkpoint.
inline constexpr char kBestAchievable[] = "best_achievable";

}  // namespace rhc
