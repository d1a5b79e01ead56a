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
#include "rhc/store/lab_notes.h"
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

// Of the checkpoint: all of it, or nothing where it is missing or damaged.
template <class Read>
std::optional<NamedValues> read_checkpoint(RunSummary& run, Read read) {
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

NamedValues read_archive(const std::filesystem::path& path) {
  return parse_archive(read_text(path, kLargestMatrixFile), path.string());
}

// Runs of 0.1 have none of these in their checkpoint.
bool knows_files(const NamedValues& checkpoint) { return checkpoint.has_text("files"); }

// A number in a checkpoint of 0.1, a text in ours.
bool being_replaced(const NamedValues& checkpoint) {
  return checkpoint.has_text(kReplacing) || checkpoint.has(kReplacing);
}

// But for their seconds.
bool same(const MetricsRow& a, const MetricsRow& b) {
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
  if (!checkpoint) return read_config(run.config, read_text(file), file);
  const std::string& settings = checkpoint->text("settings");
  const bool there = std::filesystem::exists(file);
  const std::string text = there ? read_text(file) : "";
  // Comparing is much faster than reading, which counts where there are ten thousand runs.
  if (expected && text == config_toml(*expected) && settings == lasting_settings(*expected)) {
    run.config = *expected;
    return;
  }
  Config begun;
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

DescriptionHistory history_kept(const NamedValues& checkpoint) {
  if (!checkpoint.has_text(kHistoryKept)) return {};
  return parse_history(checkpoint.text(kHistoryKept), "history of the checkpoint");
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
    if (same(run.rows[i], kept[i])) kept[i] = run.rows[i];
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
    } else if (!same(run.rows[i], kept[i]) ||
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

// What a person carried out, and whether it is as it was.
void add_laboratory(RunRecord& run) {
  run.lab = read_lab(run.path, run.checkpoint ? &*run.checkpoint : nullptr);
  run.recovered.insert(run.recovered.end(), run.lab->recovered.begin(), run.lab->recovered.end());
  run.changed.insert(run.lab->changed.begin(), run.lab->changed.end());
  for (const std::string& damage : run.lab->damaged)
    if (std::find(run.damaged.begin(), run.damaged.end(), damage) == run.damaged.end())
      run.damaged.push_back(damage);
}

// The history as the checkpoint has it, with the times of the file.
void read_history(RunRecord& run) {
  const std::filesystem::path path = run.path / kHistoryFile;
  std::optional<DescriptionHistory> written;
  try {
    if (std::filesystem::exists(path)) written = parse_history(read_text(path), path.string());
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
  if (!run.checkpoint || !knows_files(*run.checkpoint)) {
    run.history = written.value_or(DescriptionHistory{});
    return;
  }
  run.history = history_kept(*run.checkpoint);
  const std::string kept = history_text(run.history);
  const std::string there = history_text(without_times(written.value_or(DescriptionHistory{})));
  if (there == kept) {
    if (written) run.history = *written;
  } else if (there.starts_with(kept)) {
    written->resize(run.history.size());
    run.history = *written;
    run.recovered.push_back("history.jsonl: its last change was cut off before it held");
  } else if (kept.starts_with(there)) {
    run.recovered.push_back("history.jsonl: what it lacks was taken from the checkpoint");
  } else {
    run.damaged.push_back(path.string() + ": the file was changed after it was written");
  }
}

// Only notes know which description an experiment was made under.
void read_descriptions(RunRecord& run) {
  if (run.history.empty() || !run.checkpoint || !run.checkpoint->has_text(kNotesKept)) return;
  for (const ChangedDescription& change : run.history)
    run.descriptions.push_back(parse_system(change.before, kHistoryFile, run.path).system);
  run.descriptions.push_back(system_of(run));
  const auto newest = static_cast<int>(run.descriptions.size());
  run.made_under.assign(run.episodes.size(), newest);
  const LabNotes notes = parse_notes(run.checkpoint->text(kNotesKept), "notes of the checkpoint");
  for (int n = 1; n <= std::min(notes.count(), static_cast<int>(run.made_under.size())); ++n)
    run.made_under[static_cast<std::size_t>(n) - 1] = std::min(notes[n].description, newest);
}

void check_beliefs(RunRecord& run, const NamedValues& checkpoint, int done) {
  const std::string file = (run.path / "beliefs.jsonl").string();
  std::size_t number = 0;
  for (const std::string_view line : split(trim(checkpoint.text("beliefs")), '\n')) {
    if (line.empty()) continue;
    if (number >= run.beliefs.size()) {
      run.beliefs.push_back(belief_record({line, "beliefs of the checkpoint"}));
      run.recovered.push_back(
          fmt::format("beliefs.jsonl: row {} was taken from the checkpoint", number + 1));
    } else if (belief_json(run.beliefs[number]).dump() != line) {
      run.beliefs[number] = belief_record({line, "beliefs of the checkpoint"});
      run.damaged.push_back(
          fmt::format("{}:{}: the row was changed after it was written", file, number + 1));
    }
    ++number;
  }
  // Whoever writes may be ahead of the checkpoint, but not behind it.
  for (; number < run.beliefs.size(); ++number)
    if (run.beliefs[number].episode <= done)
      run.damaged.push_back(fmt::format("{}:{}: there is a row too many", file, number + 1));
}

// The checksums of the files that the checkpoint has seen.
Ledger ledger_of(const NamedValues& checkpoint, int done) {
  if (knows_files(checkpoint)) return parse_ledger(checkpoint.text("files"), checkpoint.origin);
  Ledger ledger;
  const Matrix& sums = checkpoint.matrix("episode_checksums", done, 1);
  for (int episode = 1; episode <= done; ++episode) {
    const double sum = sums(episode - 1, 0);
    if (!(sum >= 0 && sum < 4294967296.0))
      throw InputError(fmt::format("{}: episode {} has no checksum", checkpoint.origin, episode));
    ledger[episode_name("episodes", episode)] = static_cast<std::uint32_t>(sum);
  }
  return ledger;
}

// What 0.1 wrote is checked from the next episode on.
void add_unchecked(RunRecord& run, int done) {
  for (const char* folder : {"predictions", "tasks"})
    for (int episode = 1; episode <= done; ++episode) {
      const std::string name = episode_name(folder, episode);
      if (std::filesystem::exists(run.path / name))
        run.files[name] = crc32(read_text(run.path / name));
    }
}

void check_files(RunRecord& run, const NamedValues& checkpoint, int done) {
  for (const auto& [name, sum] : ledger_of(checkpoint, done)) {
    const std::filesystem::path file = run.path / name;
    const bool task = name.starts_with("tasks/");
    // They are being made anew.
    if (task && being_replaced(checkpoint)) continue;
    const bool there = std::filesystem::exists(file);
    if (there && crc32(read_text(file)) == sum) {
      run.files[name] = sum;
      continue;
    }
    run.changed.insert(name);
    const bool told = std::any_of(run.damaged.begin(), run.damaged.end(), [&](const auto& damage) {
      return damage.starts_with(file.string());
    });
    if (!told)
      run.damaged.push_back(file.string() + (there ? ": the file was changed after it was written"
                                                   : ": the file is missing"));
  }
  for (int episode = 1; episode <= done; ++episode) {
    const auto i = static_cast<std::size_t>(episode) - 1;
    if (i >= run.episodes.size()) run.episodes.resize(i + 1);
    if (run.changed.contains(episode_name("episodes", episode))) run.episodes[i].reset();
  }
  if (!knows_files(checkpoint)) add_unchecked(run, done);
}

// What the checkpoint knows is checked against what stands in the files.
void check_against_checkpoint(RunRecord& run) {
  const NamedValues& checkpoint = *run.checkpoint;
  const auto done = static_cast<int>(checkpoint.count("episode"));
  check_files(run, checkpoint, done);
  check_beliefs(run, checkpoint, done);
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
  for (int episode = 1; episode <= last; ++episode) {
    const std::filesystem::path file = run.path / "episodes" / episode_file(episode);
    const auto i = static_cast<std::size_t>(episode) - 1;
    if (!std::filesystem::exists(file)) continue;
    const std::string text = read_text(file);
    run.files[episode_name("episodes", episode)] = crc32(text);
    try {
      run.episodes[i] = parse_trajectory(text, file.string(), run.spec);
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
    run.version_remark =
        fmt::format("the run was written by rhc {}, this is {}", run.manifest.rhc, version());
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

// All that a summary holds, with what the checkpoint knows better.
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

}  // namespace

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

bool RunRecord::holds(const std::string& name) const {
  return !changed.contains(name) && std::filesystem::exists(path / name);
}

const System* RunRecord::description_of(std::size_t index) const {
  if (index >= made_under.size()) return nullptr;
  return &descriptions.at(static_cast<std::size_t>(made_under[index]) - 1);
}

const Box& RunRecord::limits_of(std::size_t index) const {
  const System* described = description_of(index);
  return described ? described->spec().limits : spec.limits;
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

RunRecord read_run(const std::filesystem::path& path) {
  RunRecord run;
  read_head(run, path);
  // The checkpoint first: while somebody writes, the other files can only be ahead of it.
  run.checkpoint = read_checkpoint(run, read_archive);
  read_results(run, run.checkpoint, nullptr);
  run.spec = system_of(run).spec();
  run.beliefs = read_rows(run, "beliefs.jsonl", belief_record);
  read_episodes(run);
  try {
    read_history(run);
    if (run.checkpoint) check_against_checkpoint(run);
    if (run.manifest.status == kOpen || std::filesystem::exists(run.path / kLabNotes))
      add_laboratory(run);
    read_descriptions(run);
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

std::vector<Transitions> learned_transitions(const RunRecord& run) {
  std::vector<Transitions> learned;
  const auto count = static_cast<std::size_t>(run.checkpoint->count("episode"));
  for (std::size_t i = 0; i < count; ++i)
    learned.push_back(transitions_of(run.episodes[i].value(), run.limits_of(i), run.spec.history));
  return learned;
}

}  // namespace rhc
