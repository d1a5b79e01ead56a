#include "rhc/store/run_directory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/describe/config_file.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/store/archive.h"
#include "rhc/store/lab_notes.h"
#include "rhc/store/model_file.h"
#include "rhc/store/trajectory_csv.h"

namespace rhc {

namespace {

// Anything but what a process leaves that was ended while it made the directory, or has there that
// is making it now: its lock comes first.
bool occupied(const std::filesystem::path& path) {
  std::error_code error;
  bool locked = std::filesystem::exists(path / "lock", error), settings = false;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    const bool leftover = name == "lock" || name == "config.toml" || name == kSystemFile ||
                          name == kLabNotes || name.ends_with(kHalfWritten) ||
                          (entry.is_directory() && std::filesystem::is_empty(entry.path(), error));
    if (!leftover) return true;
    locked = locked || name == "lock";
    settings = settings || name == "config.toml";
  }
  return settings && !locked && !std::filesystem::exists(path / "lock", error);
}

// The directory, checked and made, so that it can be locked.
const std::filesystem::path& made(const std::filesystem::path& path, Sync sync) {
  if (std::filesystem::exists(path) && !std::filesystem::is_directory(path))
    throw InputError(fmt::format("'{}' is a file; choose a directory with --out", path.string()));
  if (!std::filesystem::exists(path / "manifest.json") && occupied(path))
    throw InputError(
        fmt::format("'{}' is not empty; choose a new directory with --out", path.string()));
  make_directories(path, sync);
  return path;
}

void make_folders(const std::filesystem::path& run, Sync sync) {
  for (const char* folder : {"episodes", "predictions", "tasks"})
    make_directories(run / folder, sync);
}

void set_aside(const std::filesystem::path& file) {
  const std::filesystem::path aside = free_path(file.string() + ".damaged");
  std::error_code error;
  std::filesystem::rename(file, aside, error);
  if (error) throw IoError(fmt::format("cannot rename '{}': {}", file.string(), error.message()));
}

// Temporary files of a process that was killed.
void remove_leftovers(const std::filesystem::path& path) {
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error))
    if (entry.path().extension() == kHalfWritten) std::filesystem::remove(entry.path(), error);
}

// Damaged episodes are set aside, and the checkpoint is not used: all is learned again from the
// episodes. Settings and description were put back in reading.
void repair_damage(RunRecord& run) {
  for (std::size_t i = 0; i < run.episodes.size(); ++i) {
    const auto file = run.path / "episodes" / episode_file(static_cast<int>(i) + 1);
    if (!run.episodes[i] && std::filesystem::exists(file)) set_aside(file);
  }
  run.checkpoint.reset();
  std::erase_if(run.files, [](const auto& file) { return !file.first.starts_with("episodes/"); });
}

}  // namespace

RunDirectory::RunDirectory(const std::filesystem::path& path, const Config& config, Sync sync,
                           const std::string& description, const std::string& notes)
    : path_(path),
      lock_(made(path, sync)),
      sync_(sync),
      config_(config),
      manifest_(new_manifest(config)),
      past_{} {
  if (std::filesystem::exists(path_ / "manifest.json"))
    throw InputError(fmt::format(
        "'{}' already holds a run; go on with it by {}, or choose another directory with --out",
        path_.string(),
        std::filesystem::exists(path_ / kLabNotes) ? "`rhc ask` and `rhc tell`" : "`rhc resume`"));
  if (!description.empty()) kept_["system"] = description;
  const std::map<std::string, std::string> files = {
      {kSystemFile, description}, {kLabNotes, notes}, {"config.toml", config_toml(config_)}};
  remove_leftovers(path_);
  try {
    make_folders(path_, sync_);
    if (!notes.empty())
      for (const char* folder : {"plans", "measured", "forgotten"})
        make_directories(path_ / folder, sync_);
    for (const auto& [file, content] : files)
      if (!content.empty()) write(file, content);
    write_manifest();
  } catch (...) {
    std::error_code ignored;
    for (const auto& [file, content] : files) std::filesystem::remove(path_ / file, ignored);
    throw;
  }
}

RunDirectory::RunDirectory(Lock lock, RunRecord past, Sync sync)
    : path_(past.path),
      lock_(std::move(lock)),
      sync_(sync),
      config_(past.config),
      manifest_(new_manifest(past.config)),
      past_(std::move(past)),
      taken_up_(false),
      seconds_before_(past_.manifest.seconds),
      cpu_before_(past_.manifest.cpu_seconds) {
  // Rows and beliefs that the checkpoint does not know are made again, with the same content.
  const Index done = past_.checkpoint ? past_.checkpoint->count("episode") : -1;
  past_.rows.resize(std::min(past_.rows.size(), static_cast<std::size_t>(done + 1)));
  std::erase_if(past_.beliefs, [&](const BeliefRecord& b) { return b.episode > done; });
  metrics_ = metrics_text(past_.rows);
  for (const MetricsRow& row : past_.rows)
    metrics_without_seconds_ += metrics_text({row.without_seconds()});
  for (const BeliefRecord& belief : past_.beliefs) beliefs_ += belief_json(belief).dump() + "\n";
  files_ = past_.files;
  history_ = past_.history;
  if (past_.checkpoint) state_ = *past_.checkpoint;
  if (state_.has_text(kNotesKept)) kept_[kNotesKept] = state_.text(kNotesKept);
  kept_[kHistoryKept] = history_text(without_times(history_));
  if (!past_.description.empty()) kept_["system"] = past_.description;
  if (past_.best_achievable)
    kept_[kBestAchievable] =
        best_achievable_text(*past_.best_achievable, config_.judge.best_achievable_transitions);

  manifest_.started = past_.manifest.started;
  manifest_.resumed = past_.manifest.resumed + 1;
  manifest_.seconds = seconds_before_;
  manifest_.cpu_seconds = cpu_before_;
  manifest_.episodes_done = past_.episodes_done();
}

void RunDirectory::take_up() {
  taken_up_ = true;
  make_folders(path_, sync_);
  put_back(kSystemFile, kept_["system"]);
  put_back(kHistoryFile, history_text(history_));
  put_back("best_achievable.json", kept_[kBestAchievable]);
  write("config.toml", config_toml(config_));
  if (!metrics_.empty()) write("metrics.jsonl", metrics_);
  write_beliefs(beliefs_);
  write_manifest();
}

RunDirectory RunDirectory::reopen(const std::filesystem::path& path, std::optional<int> episodes,
                                  bool repair, Sync sync) {
  read_run(path);  // a place that holds no run is refused before a lock is left there
  return reopen(Lock(path), path, episodes, repair, sync);
}

RunDirectory RunDirectory::reopen(Lock lock, const std::filesystem::path& path,
                                  std::optional<int> episodes, bool repair, Sync sync) {
  RunDirectory run = read(std::move(lock), path, episodes, repair, sync);
  run.take_up();
  return run;
}

RunDirectory RunDirectory::look_into(Lock lock, RunRecord past, int episodes) {
  remove_leftovers(past.path);
  past.config.episodes = episodes;
  RunDirectory run(std::move(lock), std::move(past), Sync::now);
  // Nobody works on it for long: a process that is killed leaves no word of it.
  run.manifest_.status = kOpen;
  run.manifest_.ended = run.past_.manifest.ended;
  return run;
}

RunDirectory RunDirectory::read(Lock lock, const std::filesystem::path& path,
                                std::optional<int> episodes, bool repair, Sync sync) {
  RunRecord run = read_run(path);
  if (!run.damaged.empty() && !repair)
    throw InputError(
        fmt::format("{}\nNothing was touched. `--repair` sets damaged episodes aside, "
                    "does them again and learns all anew.",
                    fmt::join(run.damaged, "\n     ")));
  if (episodes && *episodes < run.episodes_done())
    throw InputError(fmt::format("--episodes {}: '{}' has {} already", *episodes, path.string(),
                                 run.episodes_done()));
  remove_leftovers(path);
  // A new evaluation that was cut off is made whole like damage: from the episodes.
  const bool half_evaluated = run.checkpoint && run.checkpoint->has_text(kReplacing);
  if (!run.damaged.empty() || half_evaluated) repair_damage(run);
  if (episodes) run.config.episodes = *episodes;
  return {std::move(lock), std::move(run), sync};
}

void RunDirectory::extend(int episodes) {
  config_.episodes = manifest_.episodes = episodes;
  write("config.toml", config_toml(config_));
}

std::uint32_t RunDirectory::write_episode_file(const char* folder, int episode,
                                               std::string_view content) {
  const std::string name = episode_name(folder, episode);
  write(name, content);
  return files_[name] = crc32(content);
}

std::uint32_t RunDirectory::write_prediction(int episode, const SystemSpec& spec,
                                             const Forecast& forecast) {
  return write_episode_file("predictions", episode, forecast_csv(spec, forecast));
}

void RunDirectory::write_episode(int episode, const SystemSpec& spec,
                                 const Trajectory& trajectory) {
  write_episode_file("episodes", episode, trajectory_csv(spec, trajectory));
}

void RunDirectory::write_unfinished(int episode, const SystemSpec& spec,
                                    const Trajectory& trajectory) {
  make_directories(path_ / "unfinished");
  write(free_path(path_ / "unfinished" / episode_file(episode)).lexically_relative(path_),
        trajectory_csv(spec, trajectory));
}

void RunDirectory::write_task(int episode, const SystemSpec& spec, const Trajectory& trajectory) {
  write_episode_file("tasks", episode, trajectory_csv(spec, trajectory));
}

void RunDirectory::write_model(const Regression& model) { write("model.json", model_json(model)); }

void RunDirectory::remove_model() {
  if (!taken_up_) take_up();
  std::error_code error;
  std::filesystem::remove(path_ / "model.json", error);
  if (error)
    throw IoError(
        fmt::format("cannot remove '{}': {}", (path_ / "model.json").string(), error.message()));
}

void RunDirectory::put_model_back(const Regression& model) {
  put_back("model.json", model_json(model));
}

void RunDirectory::write_best_achievable(const Scores& scores) {
  std::string& text = kept_[kBestAchievable];
  text = best_achievable_text(scores, config_.judge.best_achievable_transitions);
  write("best_achievable.json", text);
}

void RunDirectory::commit(const MetricsRow& row, const std::optional<BeliefRecord>& belief,
                          NamedValues state) {
  const std::string metrics = metrics_ + metrics_text({row});
  const std::string timeless = metrics_without_seconds_ + metrics_text({row.without_seconds()});
  const std::string beliefs = belief ? beliefs_ + belief_json(*belief).dump() + "\n" : beliefs_;

  state.put("episode", row.episode);
  state.put_text("files", ledger_text(up_to_episode(row.episode, files_)));
  state.put_text("settings", lasting_settings(config_));
  state.put_text("metrics", timeless);
  state.put_text("beliefs", beliefs);

  write_beliefs(beliefs);
  write("metrics.jsonl", metrics);
  state_ = std::move(state);
  write_checkpoint();
  metrics_ = metrics;
  metrics_without_seconds_ = timeless;
  beliefs_ = beliefs;
  manifest_.episodes_done = row.episode;
}

void RunDirectory::write_checkpoint() {
  for (const auto& [name, text] : kept_)
    if (!text.empty()) state_.put_text(name, text);
  write("checkpoint", archive_bytes(state_));
}

void RunDirectory::amend() {
  // Before, because it may bring files in line with what the last checkpoint knew.
  if (!taken_up_) take_up();
  write_checkpoint();
}

void RunDirectory::describe(const std::string& description, const DescriptionHistory& history) {
  if (!taken_up_) take_up();
  history_ = history;
  kept_["system"] = description;
  kept_[kHistoryKept] = history_text(without_times(history));
  // The checkpoint decides which description holds, also where this is cut off.
  write(kHistoryFile, history_text(history));
  write_checkpoint();
  write(kSystemFile, description);
}

void RunDirectory::close(const std::string& status) {
  if (!taken_up_) return;
  // Before the manifest says so: who reads that a run is finished must find all of it.
  if (sync_ == Sync::later) sync_disk(path_);
  sync_ = Sync::now;
  manifest_.status = status;
  manifest_.ended = utc_now();
  // Without seconds the checkpoint knows the rows to the last byte.
  if (status != kOpen) manifest_.metrics_checksum = crc32(metrics_);
  const auto worked = std::chrono::steady_clock::now() - opened_;
  manifest_.seconds = seconds_before_ + std::chrono::duration<double>(worked).count();
  manifest_.cpu_seconds = cpu_before_ + cpu_seconds() - cpu_opened_;
  write_manifest();
}

void RunDirectory::write(const std::filesystem::path& file, std::string_view content) {
  if (!taken_up_) take_up();
  write_atomically(path_ / file, content, sync_);
}

void RunDirectory::write_beliefs(const std::string& beliefs) {
  if (!beliefs.empty() || std::filesystem::exists(path_ / "beliefs.jsonl"))
    write("beliefs.jsonl", beliefs);
}

void RunDirectory::put_back(const char* file, const std::string& content) {
  const bool there = std::filesystem::exists(path_ / file);
  if (!content.empty() && !(there && read_text(path_ / file) == content)) write(file, content);
}

void RunDirectory::write_manifest() { write("manifest.json", manifest_json(manifest_)); }

std::filesystem::path free_path(const std::filesystem::path& base) {
  std::filesystem::path path = base;
  for (int i = 2; std::filesystem::exists(path); ++i) path = fmt::format("{}-{}", base.string(), i);
  return path;
}

}  // namespace rhc
