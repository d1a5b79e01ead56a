#include "rhc/store/run_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/config_file.h"
#include "rhc/describe/settings.h"
#include "rhc/describe/system_file.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/store/lock.h"
#include "rhc/store/trajectory_csv.h"

namespace rhc {

namespace {

// Rows of a file that may end in the middle of one. Rows after one that is missing are not read.
template <class Row>
std::vector<Row> read_rows(RunSummary& run, const char* file, Row (*parse)(const JsonReader&)) {
  std::vector<Row> rows;
  if (!std::filesystem::exists(run.path / file)) return rows;
  const std::string text = read_text(run.path / file);
  try {
    const JsonLines lines = read_json_lines(text, (run.path / file).string());
    if (lines.cut_off)
      run.recovered.push_back(fmt::format("{}: its last line was cut off and is left out", file));
    for (const JsonReader& line : lines.rows) rows.push_back(parse(line));
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
  return rows;
}

std::optional<NamedValues> read_checkpoint(RunRecord& run) {
  const std::filesystem::path path = run.path / "checkpoint";
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string bytes = read_text(path);
  try {
    NamedValues checkpoint = parse_archive(bytes, path.string());
    checkpoint.text("settings");  // without which it is of no use
    return checkpoint;
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
    return std::nullopt;
  }
}

// But for their seconds.
bool same(const MetricsRow& a, const MetricsRow& b) {
  return metrics_json(a.without_seconds()).dump() == metrics_json(b.without_seconds()).dump();
}

// An evaluation that was half written: what is not yet in the files is in the checkpoint.
void complete_evaluation(RunRecord& run) {
  std::vector<MetricsRow> rows = rows_of(*run.checkpoint);
  for (std::size_t i = 0; i < std::min(rows.size(), run.rows.size()); ++i)
    if (same(run.rows[i], rows[i])) rows[i] = run.rows[i];
  run.rows = std::move(rows);
  run.recovered.push_back(fmt::format(
      "a new evaluation was cut off while it was written: settings and metrics were taken from the "
      "checkpoint; `rhc evaluate {} --write` makes the rest anew",
      run.path.string()));
}

// How the plant is started and waited for may change from process to process.
Config without_plant(Config config) {
  const Config usual;
  config.plant.command = usual.plant.command;
  config.plant.on_failure = usual.plant.on_failure;
  config.plant.restarts = usual.plant.restarts;
  config.plant.timeout = usual.plant.timeout;
  config.plant.start_timeout = usual.plant.start_timeout;
  return config;
}

// Such as "sac_hidden was [64, 64] and is [32]".
std::string first_difference(const Config& before, const Config& after) {
  for (const Setting& setting : settings())
    if (setting.key != "episodes" && setting.show(before) != setting.show(after))
      return fmt::format("{} was {} and is {}", setting.key, setting.show(before),
                         setting.show(after));
  return "";
}

// The settings as the run began with them: what was learned under them is kept in the checkpoint,
// so a file that says something else is the one that is wrong.
void read_settings(RunRecord& run) {
  const std::string file = (run.path / "config.toml").string(), text = read_text(file);
  if (!run.checkpoint) return read_config(run.config, text, file);
  Config begun;
  read_config(begun, run.checkpoint->text("settings"), "settings of the checkpoint");
  begun.episodes = run.manifest.episodes;
  try {
    read_config(run.config, text, file);
    if (lasting_settings(without_plant(run.config)) == lasting_settings(without_plant(begun)))
      return;
    begun.episodes = run.config.episodes;
    // An evaluation that was half written has them from the checkpoint alone.
    if (!run.checkpoint->has(kReplacing))
      run.damaged.push_back(fmt::format(
          "{}: the settings were changed after the run began ({}); put them back, or start another "
          "run from them with `rhc explore --config`",
          file, first_difference(without_plant(begun), without_plant(run.config))));
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
  run.config = begun;
}

// What the checkpoint knows is checked against what stands in the files.
void check_against_checkpoint(RunRecord& run) {
  const NamedValues& checkpoint = *run.checkpoint;
  if (checkpoint.has(kReplacing)) complete_evaluation(run);
  const auto done = static_cast<std::size_t>(checkpoint.count("episode"));
  const Matrix& sums = checkpoint.matrix("episode_checksums", static_cast<Index>(done), 1);
  for (std::size_t i = 0; i < done; ++i) {
    const std::string file =
        (run.path / "episodes" / episode_file(static_cast<int>(i) + 1)).string();
    if (i >= run.episodes.size() || (!run.episodes[i] && !std::filesystem::exists(file))) {
      run.damaged.push_back(file + ": the file is missing");
    } else if (run.episode_checksums[i] !=
               static_cast<std::uint32_t>(sums(static_cast<Index>(i), 0))) {
      if (run.episodes[i])
        run.damaged.push_back(file + ": the file was changed after it was written");
      run.episodes[i].reset();
    }
  }

  // Rows that a crash or a copy cut off are in the checkpoint, too, without their seconds.
  const std::vector<MetricsRow> kept = rows_of(checkpoint);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i >= run.rows.size()) {
      run.rows.push_back(kept[i]);
      run.recovered.push_back(
          fmt::format("metrics.jsonl: row {} was taken from the checkpoint, without its times", i));
    } else if (!same(run.rows[i], kept[i])) {
      run.damaged.push_back(fmt::format("{}:{}: the row was changed after it was written",
                                        (run.path / "metrics.jsonl").string(), i + 1));
    }
  }
  std::size_t number = 0;
  for (const std::string_view line : split(trim(checkpoint.text("beliefs")), '\n')) {
    if (line.empty()) continue;
    if (number >= run.beliefs.size()) {
      run.beliefs.push_back(belief_record({line, "beliefs of the checkpoint"}));
      run.recovered.push_back(
          fmt::format("beliefs.jsonl: row {} was taken from the checkpoint", number + 1));
    } else if (belief_json(run.beliefs[number]).dump() != line) {
      run.damaged.push_back(fmt::format("{}:{}: the row was changed after it was written",
                                        (run.path / "beliefs.jsonl").string(), number + 1));
    }
    ++number;
  }
  // Whoever writes may be ahead of the checkpoint, but not behind it.
  for (; number < run.beliefs.size(); ++number)
    if (run.beliefs[number].episode <= static_cast<int>(done))
      run.damaged.push_back(fmt::format("{}:{}: there is a row too many",
                                        (run.path / "beliefs.jsonl").string(), number + 1));
}

void read_best_achievable(RunSummary& run) {
  const std::filesystem::path path = run.path / "best_achievable.json";
  if (!std::filesystem::exists(path)) return;
  const std::string text = read_text(path);
  try {
    run.best_achievable = scores_of({text, path.string()});
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
}

void read_episodes(RunRecord& run) {
  int last = 0;
  std::error_code error;
  const std::filesystem::directory_iterator entries(run.path / "episodes", error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw InputError(
        fmt::format("cannot open '{}': {}", (run.path / "episodes").string(), error.message()));
  for (const auto& entry : entries) {
    const auto number = parse_integer(entry.path().stem().string());
    if (number && *number > 0 && entry.path().filename() == episode_file(static_cast<int>(*number)))
      last = std::max(last, static_cast<int>(*number));
  }
  run.episodes.resize(static_cast<std::size_t>(last));
  run.episode_checksums.resize(static_cast<std::size_t>(last));
  for (int episode = 1; episode <= last; ++episode) {
    const std::filesystem::path file = run.path / "episodes" / episode_file(episode);
    const auto i = static_cast<std::size_t>(episode) - 1;
    if (!std::filesystem::exists(file)) continue;
    run.episode_checksums[i] = crc32(read_text(file));
    try {
      run.episodes[i] = read_trajectory(file, run.spec);
    } catch (const InputError& bad) {
      run.damaged.emplace_back(bad.what());
    }
  }
}

// What there is, who made it, and whether somebody writes it.
void read_head(RunSummary& run, const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path))
    throw InputError(
        fmt::format("'{}' is not a directory; name a run directory, such as those "
                    "that `rhc explore` makes under runs/",
                    path.string()));
  if (!std::filesystem::exists(path / "manifest.json"))
    throw InputError(
        fmt::format("'{}' holds no run (it has no manifest.json); name a run directory, such as "
                    "those that `rhc explore` makes under runs/",
                    path.string()));
  run.path = path;
  // Asked twice, for a writer may come or go just then.
  run.owner = lock_owner(path);
  run.manifest = read_manifest(path / "manifest.json");
  if (!run.owner) run.owner = lock_owner(path);
  if (std::filesystem::exists(path / kSystemFile)) run.description = read_text(path / kSystemFile);
  if (run.manifest.rhc != version())
    run.recovered.push_back(
        fmt::format("the run was written by rhc {}, this is {}", run.manifest.rhc, version()));
}

// False where some of it was cut off or cannot be read.
bool read_metrics(RunSummary& run) {
  const std::size_t noted = run.recovered.size() + run.damaged.size();
  run.rows = read_rows(run, "metrics.jsonl", metrics_row);
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    if (run.rows[i].episode != static_cast<int>(i)) {
      run.damaged.push_back(fmt::format("{}: the row of episode {} is missing",
                                        (run.path / "metrics.jsonl").string(), i));
      run.rows.resize(i);
    }
  const bool whole = run.recovered.size() + run.damaged.size() == noted;
  read_best_achievable(run);
  return whole;
}

RunSummary summary_of(const std::filesystem::path& path, const Config* expected, bool& whole) {
  RunSummary run;
  read_head(run, path);
  // Comparing is much faster than reading, which counts where there are ten thousand.
  const std::filesystem::path file = path / "config.toml";
  const std::string text = read_text(file);
  if (expected && text == config_toml(*expected))
    run.config = *expected;
  else
    read_config(run.config, text, file.string());
  whole = read_metrics(run);
  // A run that was stopped before its first row has no checkpoint either.
  if (run.rows.empty() && std::filesystem::exists(path / "checkpoint")) whole = false;
  return run;
}

}  // namespace

bool RunSummary::has_all_rows() const {
  // Nothing was promised yet, or whoever writes it is at work on them.
  if (owner || (manifest.episodes_done == 0 && manifest.status != "finished")) return true;
  return rows.size() > static_cast<std::size_t>(manifest.episodes_done);
}

std::string RunSummary::status() const {
  return manifest.status == "running" && !owner ? "killed" : manifest.status;
}

System system_of(const RunSummary& run) {
  const std::filesystem::path file = run.path / kSystemFile;
  return std::filesystem::exists(file) ? read_system_file(file).system
                                       : bundled_system(run.config.system);
}

std::string episode_file(int episode) { return fmt::format("{:04}.csv", episode); }

std::string lasting_settings(Config config) {
  config.episodes = 0;
  return config_toml(config);
}

std::vector<MetricsRow> rows_of(const NamedValues& checkpoint) {
  std::vector<MetricsRow> rows;
  for (const std::string_view line : split(trim(checkpoint.text("metrics")), '\n'))
    rows.push_back(
        metrics_row({line, fmt::format("metrics of the checkpoint:{}", rows.size() + 1)}));
  return rows;
}

RunSummary read_summary(const std::filesystem::path& path, const Config* expected) {
  bool whole = false;
  return summary_of(path, expected, whole);
}

RunSummary read_results(const std::filesystem::path& path, const Config* expected) {
  bool whole = false;
  RunSummary run = summary_of(path, expected, whole);
  // Whoever writes it is ahead of what was read a moment ago, and that is no damage.
  if (run.owner || (run.has_all_rows() && whole)) return run;
  const std::size_t there = run.rows.size();
  std::string why = "is not in the checkpoint either";
  try {
    run = read_run(path);
  } catch (const InputError& error) {
    why = fmt::format("cannot be taken from the checkpoint ({})", error.what());
  }
  const auto promised = static_cast<std::size_t>(run.manifest.episodes_done) + 1;
  const std::string lack = fmt::format("{}: metrics.jsonl has {} of {} rows; what it lacks",
                                       path.string(), there, std::max(run.rows.size(), promised));
  if (!run.has_all_rows())
    run.remark = fmt::format("{} {}; `rhc resume {} --repair` makes it anew from the episodes",
                             lack, why, path.string());
  else if (run.rows.size() > there)
    run.remark = fmt::format(
        "{} was taken from the checkpoint, without its times; `rhc resume {}` writes the file anew",
        lack, path.string());
  return run;
}

RunRecord read_run(const std::filesystem::path& path) {
  RunRecord run;
  read_head(run, path);
  // The checkpoint first: while somebody writes, the other files can only be ahead of it.
  run.checkpoint = read_checkpoint(run);
  read_settings(run);
  run.spec = system_of(run).spec();
  read_metrics(run);
  run.beliefs = read_rows(run, "beliefs.jsonl", belief_record);
  read_episodes(run);
  if (run.rows.size() > 1 && !std::filesystem::exists(path / "checkpoint"))
    run.damaged.push_back((path / "checkpoint").string() + ": the file is missing");
  try {
    if (run.checkpoint) check_against_checkpoint(run);
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
    run.checkpoint.reset();
  }
  return run;
}

std::vector<std::filesystem::path> find_runs(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  if (std::filesystem::exists(folder / "manifest.json", error)) return {folder};
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_symlink(error) || !entry.is_directory(error)) continue;
    const auto below = find_runs(entry.path());
    found.insert(found.end(), below.begin(), below.end());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Trajectory> learned_episodes(const RunRecord& run) {
  std::vector<Trajectory> learned;
  const auto count = static_cast<std::size_t>(run.checkpoint->count("episode"));
  for (std::size_t i = 0; i < count; ++i) learned.push_back(run.episodes[i].value());
  return learned;
}

}  // namespace rhc
