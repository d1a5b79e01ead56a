#include "rhc/store/run_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/config_file.h"
#include "rhc/describe/settings.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/store/archive.h"
#include "rhc/store/lab_notes.h"
#include "rhc/store/lock.h"
#include "rhc/store/reading_runs.h"

namespace rhc {

namespace {

// But for their seconds.
bool same_row(const MetricsRow& a, const MetricsRow& b) {
  return metrics_json(a.without_seconds()).dump() == metrics_json(b.without_seconds()).dump();
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

// Those of a laboratory are 0.
bool same_seconds(const MetricsRow& a, const MetricsRow& b) {
  return a.plan_seconds == b.plan_seconds && a.fit_seconds == b.fit_seconds &&
         a.evaluate_seconds == b.evaluate_seconds;
}

// The settings as the run began with them: what was learned under them is kept in the checkpoint,
// so a file that says something else is the one that is wrong.
void read_settings(RunSummary& run, const std::optional<NamedValues>& checkpoint,
                   const Config* expected) {
  const std::string file = (run.path / "config.toml").string();
  run.config = settings_of_0_1();
  if (!checkpoint) return read_config(run.config, read_text(file), file);
  const std::string& settings = checkpoint->text("settings");
  const bool there = std::filesystem::exists(file);
  const std::string text = there ? read_text(file) : "";
  // Comparing is much faster than reading, which counts where there are ten thousand runs.
  if (expected && text == config_toml(*expected) && settings == lasting_settings(*expected)) {
    run.config = *expected;
    return;
  }
  Config begun = settings_of_0_1();
  read_config(begun, settings, "settings of the checkpoint");
  begun.episodes = run.manifest.episodes;
  try {
    if (!there) throw InputError(file + ": the file is missing");
    read_config(run.config, text, file);
    // Whoever extends a run writes the settings first.
    if (run.config.episodes != run.manifest.episodes && !run.being_written()) {
      run.recovered.push_back(fmt::format(
          "config.toml says {} episodes, manifest.json says {}; `rhc resume --episodes` decides",
          run.config.episodes, run.manifest.episodes));
      run.config.episodes = run.manifest.episodes;
    }
    if (lasting_settings(without_plant(run.config)) == lasting_settings(without_plant(begun))) {
      if (const std::string other = first_difference(begun, run.config); !other.empty())
        run.recovered.push_back(fmt::format("config.toml: {} since the run began", other));
      return;
    }
    // An evaluation that was half written has them from the checkpoint alone.
    if (!being_replaced(*checkpoint))
      run.damaged.push_back(fmt::format(
          "{}: the settings were changed after the run began ({}); put them back, or start another "
          "run from them with `rhc explore --config`",
          file, first_difference(without_plant(begun), without_plant(run.config))));
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
  run.config = begun;
}

// A plan for a machine depends on every word of it.
void check_description(RunSummary& run, const NamedValues& checkpoint) {
  if (!knows_files(checkpoint)) return;
  const std::string kept = checkpoint.has_text("system") ? checkpoint.text("system") : "";
  if (run.description == kept) return;
  const std::string file = (run.path / kSystemFile).string();
  const DescriptionHistory history = history_kept(checkpoint);
  if (!history.empty() && run.description == history.back().before) {
    run.recovered.push_back(file + ": the last change of the description was not in it yet");
    run.description = kept;
    return;
  }
  run.damaged.push_back(run.description.empty() ? file + ": the file is missing"
                        : kept.empty()
                            ? file + ": the run is of a bundled system, and has no such file"
                            : file + ": the description was changed after the run began with it");
  run.description = kept;
}

// An evaluation that was half written: what is not yet in the files is in the checkpoint.
void complete_evaluation(RunSummary& run, std::vector<MetricsRow> kept) {
  for (std::size_t i = 0; i < std::min(kept.size(), run.rows.size()); ++i)
    if (same_row(run.rows[i], kept[i])) kept[i] = run.rows[i];
  run.rows = std::move(kept);
  run.recovered.push_back(fmt::format(
      "a new evaluation was cut off while it was written: settings and metrics were taken from the "
      "checkpoint; `rhc evaluate {} --write` makes the rest anew",
      run.path.string()));
}

// Rows that a crash or a copy cut off are in the checkpoint, too, without their seconds; so is what
// stood in rows that were changed.
void check_rows(RunSummary& run, const NamedValues& checkpoint) {
  std::vector<MetricsRow> kept = rows_of(checkpoint);
  if (being_replaced(checkpoint)) return complete_evaluation(run, std::move(kept));
  const std::string file = (run.path / "metrics.jsonl").string();
  const std::size_t noted = run.damaged.size() + run.recovered.size();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i >= run.rows.size()) {
      run.rows.push_back(kept[i]);
      run.recovered.push_back(
          fmt::format("metrics.jsonl: row {} was taken from the checkpoint, without its times", i));
    } else if (!same_row(run.rows[i], kept[i]) ||
               (run.manifest.status == kOpen && !same_seconds(run.rows[i], kept[i]))) {
      run.rows[i] = kept[i];
      run.damaged.push_back(
          fmt::format("{}:{}: the row was changed after it was written", file, i + 1));
    }
  }
  // Whoever writes is ahead of what was read a moment ago.
  if (run.being_written()) return;
  if (run.rows.size() > kept.size()) {
    // A process that is killed may leave one.
    const bool killed = run.manifest.status == "running" && run.rows.size() == kept.size() + 1;
    if (!killed)
      run.recovered.push_back(fmt::format(
          "the checkpoint is of episode {}: later rows of metrics.jsonl are left out, `rhc resume "
          "{}` makes them again",
          kept.empty() ? 0 : kept.back().episode, run.path.string()));
    run.rows.resize(kept.size());
    return;
  }
  const auto& sum = run.manifest.metrics_checksum;
  if (sum && noted == run.damaged.size() + run.recovered.size() &&
      *sum != crc32(metrics_text(run.rows))) {
    run.rows = std::move(kept);
    run.damaged.push_back(file + ": the times were changed after they were written");
  }
}

void read_best_achievable(RunSummary& run, const std::optional<NamedValues>& checkpoint) {
  const std::filesystem::path path = run.path / "best_achievable.json";
  const bool there = std::filesystem::exists(path);
  std::string text = there ? read_text(path) : "";
  try {
    if (checkpoint && knows_files(*checkpoint)) {
      const std::string kept =
          checkpoint->has_text(kBestAchievable) ? checkpoint->text(kBestAchievable) : "";
      if (text != kept && !being_replaced(*checkpoint))
        run.damaged.push_back(path.string() + (!there         ? ": the file is missing"
                                               : kept.empty() ? ": the run has no such line"
                                                              : ": the file was changed after it "
                                                                "was written"));
      text = kept;
    }
    if (!text.empty() || (there && !checkpoint))
      run.best_achievable = scores_of({text, path.string()});
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
}

// Rows that can be read, up to the first that is missing.
void read_metrics(RunSummary& run) {
  run.rows = read_rows(run, "metrics.jsonl", metrics_row);
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    if (run.rows[i].episode != static_cast<int>(i)) {
      run.damaged.push_back(fmt::format("{}: the row of episode {} is missing",
                                        (run.path / "metrics.jsonl").string(), i));
      run.rows.resize(i);
    }
}

// Whoever ends a process in order writes the manifest last.
void check_manifest(RunSummary& run) {
  if (run.being_written() || run.rows.empty() || run.manifest.status == "running" ||
      run.manifest.episodes_done >= run.rows.back().episode)
    return;
  auto& where = run.manifest.status == kOpen ? run.recovered : run.damaged;
  where.push_back((run.path / "manifest.json").string() +
                  ": the file is older than the checkpoint");
}

}  // namespace

std::optional<NamedValues> read_checkpoint(RunSummary& run, ReadArchive read) {
  const std::filesystem::path path = run.path / "checkpoint";
  if (!std::filesystem::exists(path)) return std::nullopt;
  read_beginning(path, 1);  // one that may not be read is no damage, and ends here
  try {
    NamedValues checkpoint = read(path);
    checkpoint.text("settings");  // without which it is of no use
    checkpoint.text("metrics");
    return checkpoint;
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
    return std::nullopt;
  }
}

bool knows_files(const NamedValues& checkpoint) { return checkpoint.has_text("files"); }

bool being_replaced(const NamedValues& checkpoint) {
  return checkpoint.has_text(kReplacing) || checkpoint.has(kReplacing);
}

DescriptionHistory history_kept(const NamedValues& checkpoint) {
  if (!checkpoint.has_text(kHistoryKept)) return {};
  return parse_history(checkpoint.text(kHistoryKept), "history of the checkpoint");
}

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
    run.version_remark =
        fmt::format("the run was written by rhc {}, this is {}", run.manifest.rhc, version());
}

void read_results(RunSummary& run, const std::optional<NamedValues>& checkpoint,
                  const Config* expected) {
  read_settings(run, checkpoint, expected);
  if (checkpoint) check_description(run, *checkpoint);
  read_metrics(run);
  if (run.rows.size() > 1 && !std::filesystem::exists(run.path / "checkpoint") &&
      !run.being_written())
    run.damaged.push_back((run.path / "checkpoint").string() + ": the file is missing");
  const std::size_t there = run.rows.size();
  std::string why = "is not in the checkpoint either";
  try {
    if (checkpoint) check_rows(run, *checkpoint);
  } catch (const InputError& error) {
    why = fmt::format("cannot be taken from the checkpoint ({})", error.what());
    run.damaged.emplace_back(error.what());
  }
  read_best_achievable(run, checkpoint);
  check_manifest(run);

  const auto promised = static_cast<std::size_t>(run.manifest.episodes_done) + 1;
  const std::string lack =
      fmt::format("{}: metrics.jsonl has {} of {} rows; what it lacks", run.path.string(), there,
                  std::max(run.rows.size(), promised));
  if (!run.has_all_rows())
    run.remark = fmt::format("{} {}; `rhc resume {} --repair` makes it anew from the episodes",
                             lack, why, run.path.string());
  else if (run.rows.size() > there)
    run.remark = fmt::format(
        "{} was taken from the checkpoint, without its times; `rhc resume {}` writes the file anew",
        lack, run.path.string());
}

bool RunSummary::has_all_rows() const {
  // Nothing was promised yet, or whoever writes it is at work on them.
  if (owner || (manifest.episodes_done == 0 && manifest.status != "finished")) return true;
  return rows.size() > static_cast<std::size_t>(manifest.episodes_done);
}

bool RunSummary::being_written() const { return owner && !is_this_process(*owner); }

std::vector<std::string> RunSummary::remarks() const {
  std::vector<std::string> all = recovered;
  if (!version_remark.empty()) all.insert(all.begin(), version_remark);
  return all;
}

std::string RunSummary::status() const {
  return manifest.status == "running" && !owner ? "killed" : manifest.status;
}

bool is_laboratory(const RunSummary& run) {
  return run.manifest.status == kOpen || std::filesystem::exists(run.path / kLabNotes);
}

SystemFile system_file_of(const RunSummary& run) {
  return parse_system(run.description, (run.path / kSystemFile).string(), run.path);
}

System system_of(const RunSummary& run) {
  return run.description.empty() ? bundled_system(run.config.system) : system_file_of(run).system;
}

std::string episode_file(int episode) { return fmt::format("{:04}.csv", episode); }

std::string episode_name(const char* folder, int episode) {
  return fmt::format("{}/{}", folder, episode_file(episode));
}

std::string lasting_settings(Config config) {
  config.episodes = 0;
  return config_toml(config);
}

std::vector<MetricsRow> rows_of(const NamedValues& checkpoint) {
  std::vector<MetricsRow> rows;
  for (const std::string_view line : split(trim(checkpoint.text("metrics")), '\n'))
    if (!line.empty())
      rows.push_back(
          metrics_row({line, fmt::format("metrics of the checkpoint:{}", rows.size() + 1)}));
  return rows;
}

RunSummary read_summary(const std::filesystem::path& path, const Config* expected) {
  RunSummary run;
  read_head(run, path);
  read_results(run, read_checkpoint(run, read_archive_texts), expected);
  return run;
}

std::vector<std::filesystem::path> find_runs(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  if (std::filesystem::exists(folder / "manifest.json", error)) return {folder};
  // One that lost its manifest is to be missed.
  if (std::filesystem::exists(folder / "checkpoint", error) &&
      std::filesystem::exists(folder / "metrics.jsonl", error))
    return {folder};
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_symlink(error) || !entry.is_directory(error)) continue;
    const auto below = find_runs(entry.path());
    found.insert(found.end(), below.begin(), below.end());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace rhc
