#include "rhc/io/run_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/io/crc32.h"
#include "rhc/io/csv.h"
#include "rhc/io/files.h"
#include "rhc/io/lock.h"
#include "rhc/system/registry.h"

namespace rhc {

namespace {

// Rows of a file that may end in the middle of one. Rows after one that is missing are not read.
template <class Row>
std::vector<Row> read_rows(RunSummary& run, const char* file, Row (*parse)(const JsonReader&)) {
  std::vector<Row> rows;
  if (!std::filesystem::exists(run.path / file)) return rows;
  try {
    const JsonLines lines = read_json_lines(run.path / file);
    if (lines.cut_off)
      run.recovered.push_back(fmt::format("{}: its last line was cut off and is left out", file));
    for (const JsonReader& line : lines.rows) rows.push_back(parse(line));
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
  return rows;
}

Archive read_checkpoint(const std::filesystem::path& path) {
  return Archive::parse(read_text(path), path.string());
}

// What the checkpoint knows is checked against what stands in the files.
void check_against_checkpoint(RunRecord& run) {
  const Archive& checkpoint = *run.checkpoint;
  const auto done = static_cast<std::size_t>(checkpoint.count("episode"));
  if (checkpoint.text("settings") != lasting_settings(run.config))
    run.damaged.push_back(
        fmt::format("{}: the settings were changed after the run began; put them back, or start "
                    "another run from them with `rhc explore --config`",
                    (run.path / "config.toml").string()));

  const Matrix& sums = checkpoint.matrix("episode_checksums", static_cast<Index>(done), 1);
  for (std::size_t i = 0; i < done; ++i) {
    const std::string file =
        (run.path / "episodes" / episode_file(static_cast<int>(i) + 1)).string();
    if (i >= run.episodes.size() || (!run.episodes[i] && run.episode_checksums[i] == 0)) {
      run.damaged.push_back(file + ": the file is missing");
    } else if (run.episode_checksums[i] !=
               static_cast<std::uint32_t>(sums(static_cast<Index>(i), 0))) {
      if (run.episodes[i])
        run.damaged.push_back(file + ": the file was changed after it was written");
      run.episodes[i].reset();
    }
  }

  // Rows that a crash or a copy cut off are in the checkpoint, too, without their seconds.
  const auto kept = split(trim(checkpoint.text("metrics")), '\n');
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const JsonReader reader(kept[i], fmt::format("metrics of the checkpoint:{}", i + 1));
    if (i >= run.rows.size()) {
      run.rows.push_back(metrics_row(reader));
      run.recovered.push_back(
          fmt::format("metrics.jsonl: row {} was taken from the checkpoint, without its times", i));
    } else if (metrics_json(run.rows[i].without_seconds()).dump() != kept[i]) {
      run.damaged.push_back(fmt::format("{}:{}: the row was changed after it was written",
                                        (run.path / "metrics.jsonl").string(), i + 1));
    }
  }
  const std::string& beliefs = checkpoint.text("beliefs");
  std::vector<BeliefRecord> recorded;
  for (const std::string_view line : split(trim(beliefs), '\n'))
    if (!line.empty()) recorded.push_back(belief_record({line, "beliefs of the checkpoint"}));
  if (recorded.size() > run.beliefs.size()) run.beliefs = std::move(recorded);
}

void read_episodes(RunRecord& run) {
  int last = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(run.path / "episodes", error)) {
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
    try {
      run.episode_checksums[i] = crc32(read_text(file));
      run.episodes[i] = read_trajectory(file, run.spec);
    } catch (const InputError& bad) {
      run.damaged.emplace_back(bad.what());
    }
  }
}

}  // namespace

std::string RunSummary::status() const {
  return manifest.status == "running" && !owner ? "killed" : manifest.status;
}

std::string episode_file(int episode) { return fmt::format("{:04}.csv", episode); }

std::string lasting_settings(Config config) {
  config.episodes = 0;
  return config_toml(config);
}

RunSummary read_summary(const std::filesystem::path& path) {
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
  RunSummary run;
  run.path = path;
  run.manifest = read_manifest(path / "manifest.json");
  run.owner = lock_owner(path);
  read_config(run.config, path / "config.toml");
  run.rows = read_rows(run, "metrics.jsonl", metrics_row);
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    if (run.rows[i].episode != static_cast<int>(i)) {
      run.damaged.push_back(fmt::format("{}: the row of episode {} is missing",
                                        (path / "metrics.jsonl").string(), i));
      run.rows.resize(i);
    }
  try {
    if (std::filesystem::exists(path / "best_achievable.json"))
      run.best_achievable = scores_of(JsonReader(path / "best_achievable.json"));
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
  if (run.manifest.rhc != version())
    run.recovered.push_back(
        fmt::format("the run was written by rhc {}, this is {}", run.manifest.rhc, version()));
  return run;
}

RunRecord read_run(const std::filesystem::path& path) {
  RunRecord run;
  // The checkpoint first: while somebody writes, the other files can only be ahead of it.
  const bool begun = std::filesystem::exists(path / "checkpoint");
  std::optional<Archive> checkpoint;
  std::string damage;
  try {
    if (begun) checkpoint = read_checkpoint(path / "checkpoint");
  } catch (const InputError& error) {
    damage = error.what();
  }
  static_cast<RunSummary&>(run) = read_summary(path);
  if (!damage.empty()) run.damaged.push_back(damage);
  run.checkpoint = std::move(checkpoint);
  run.spec = make_system(run.config.system).spec();
  run.beliefs = read_rows(run, "beliefs.jsonl", belief_record);
  read_episodes(run);
  if (!begun && run.rows.size() > 1)
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

}  // namespace rhc
