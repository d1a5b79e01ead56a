#include "rhc/study/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <unordered_map>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/describe/config_file.h"
#include "rhc/describe/settings.h"
#include "rhc/format/files.h"
#include "rhc/format/json.h"
#include "rhc/store/lock.h"
#include "rhc/store/run_record.h"

namespace rhc {

namespace {

constexpr int kSweepFormat = 1;

std::filesystem::path failure_file(const Sweep& sweep, const PlannedRun& run) {
  return sweep.path / "failures" / (run.name + ".txt");
}

void write_sweep(const Sweep& sweep, const std::string& toml) {
  const Json json = {{"format", "rhc-sweep"},          {"format_version", kSweepFormat},
                     {"rhc", sweep.version},           {"id", sweep.id},
                     {"runs", sweep.plan.runs.size()}, {"file", toml}};
  write_atomically(sweep.path / "sweep.json", dump_any(json, 2) + "\n");
}

// Whether all that was planned before is planned still, but for more runs and more episodes.
void check_extends(const Sweep& before, const SweepPlan& now, const std::string& name) {
  std::unordered_map<std::string_view, const PlannedRun*> planned;
  for (const PlannedRun& run : now.runs) planned.emplace(run.name, &run);
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format(
        "'{}' holds the sweep of another grid: {}. Nothing was touched; choose another directory "
        "with --out, or put '{}' back as it was (runs, seeds and episodes may be added)",
        before.path.string(), what, name));
  };
  for (const PlannedRun& run : before.plan.runs) {
    const auto found = planned.find(run.name);
    if (found == planned.end())
      refuse(fmt::format("it has the run {}, the grid has not", run.name));
    const Config& config = found->second->config;
    if (config.episodes < run.config.episodes)
      refuse(fmt::format("{} has {} episodes there and {} in the grid", run.name,
                         run.config.episodes, config.episodes));
    for (const Setting& setting : settings())
      if (setting.key != "episodes" && setting.show(config) != setting.show(run.config))
        refuse(fmt::format("{} has {} = {} there and {} in the grid", run.name, setting.key,
                           setting.show(run.config), setting.show(config)));
  }
}

std::string new_id() {
  std::random_device chance;
  return fmt::format("{:08x}", chance());
}

// InputError where a directory holds another run than the planned one.
void check_settings(const std::filesystem::path& path, const PlannedRun& run) {
  const std::filesystem::path file = path / "config.toml";
  const std::string text = read_text(file);
  // Comparing is much faster than reading, which counts where there are ten thousand.
  if (text == config_toml(run.config)) return;
  Config there = settings_of_0_1();
  read_config(there, text, file.string());
  if (const std::string other = difference(there, run.config); !other.empty())
    throw InputError(fmt::format("'{}' holds another run: {}", path.string(), other));
}

int rows_in(const std::filesystem::path& metrics) {
  std::error_code error;
  if (!std::filesystem::exists(metrics, error)) return 0;
  const std::string text = read_text(metrics);
  return std::max(0, static_cast<int>(std::count(text.begin(), text.end(), '\n')) - 1);
}

}  // namespace

Sweep plan_sweep(const std::filesystem::path& path, const std::string& toml,
                 const std::string& name) {
  Sweep sweep{path, new_id(), version(), read_sweep(toml, name)};
  std::error_code error;
  if (std::filesystem::exists(path / "sweep.json", error)) {
    const Sweep before = open_sweep(path);
    if (before.version != version())
      throw InputError(fmt::format(
          "'{}' was begun by rhc {}, this is {}: runs of both would be mixed. Finish it with the "
          "former, or choose another directory with --out",
          path.string(), before.version, version()));
    check_extends(before, sweep.plan, name);
    sweep.id = before.id;
  } else if (std::filesystem::exists(path, error) &&
             (!std::filesystem::is_directory(path, error) ||
              std::any_of(std::filesystem::directory_iterator(path, error), {},
                          [](const auto& entry) {
                            // What a process leaves that was killed while it began.
                            const std::filesystem::path file = entry.path().filename();
                            std::error_code failed;
                            return file != "lock" && file.extension() != kHalfWritten &&
                                   !(file == "runs" && std::filesystem::is_empty(entry, failed));
                          }))) {
    throw InputError(
        fmt::format("'{}' is there already and holds no sweep; choose a new directory with --out",
                    path.string()));
  }
  return sweep;
}

Sweep begin_sweep(const std::filesystem::path& path, const std::string& toml,
                  const std::string& name) {
  Sweep sweep = plan_sweep(path, toml, name);
  make_directories(path / "runs");
  write_sweep(sweep, toml);
  return sweep;
}

Sweep open_sweep(const std::filesystem::path& path) {
  const std::filesystem::path file = path / "sweep.json";
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    throw InputError(fmt::format(
        "'{}' holds no sweep (it has no sweep.json); name a directory that `rhc sweep` made",
        path.string()));
  const JsonReader reader(file);
  reader.check_format("rhc-sweep", "sweep", kSweepFormat);
  const std::string id = reader.text("id");
  if (id.empty() ||
      !std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isxdigit(c); }))
    reader.fail(fmt::format("'id' cannot be '{}'; expected: digits from 0 to f", visible(id)));
  return {path, id, reader.text("rhc"), read_sweep(reader.text("file"), file.string())};
}

const PlannedRun& run_named(const Sweep& sweep, const std::string& name) {
  for (const PlannedRun& run : sweep.plan.runs)
    if (run.name == name) return run;
  throw InputError("the sweep has no run '" + name + "'");
}

std::string difference(const Config& there, const Config& planned) {
  const auto first_other = [&](const Config& wanted) -> std::string {
    for (const Setting& setting : settings())
      if (setting.key != "episodes" && setting.show(there) != setting.show(wanted))
        return fmt::format("{} is {} there and {} in the sweep", setting.key, setting.show(there),
                           setting.show(wanted));
    return "";
  };
  const std::string other = first_other(planned);
  // A run that version 0.1 began knows nothing of newer settings, and is the planned one.
  if (other.empty() || first_other(with_newer_settings_of_0_1(planned)).empty()) return "";
  return other;
}

namespace {

RunStatus read_status(const Sweep& sweep, const PlannedRun& run) {
  const std::filesystem::path path = sweep.run_path(run), failure = failure_file(sweep, run);
  RunStatus status;
  std::error_code error;
  // Asked before and after, for a writer may come or go just then.
  auto owner = lock_owner(path);
  if (std::filesystem::exists(path / "manifest.json", error)) {
    const Manifest manifest = read_manifest(path / "manifest.json");
    check_settings(path, run);
    status.seconds = manifest.seconds;
    status.episodes_done = manifest.episodes_done;
    if (manifest.status == "finished" && manifest.episodes_done >= run.config.episodes) {
      status.state = RunState::finished;
      return status;
    }
    if (!owner) owner = lock_owner(path);
    status.state = RunState::stopped;
    status.why = manifest.status == "running" ? "killed" : manifest.status;
    status.episodes_done = std::max(status.episodes_done, rows_in(path / "metrics.jsonl"));
    constexpr std::string_view kFailed = "failed: ";
    if (status.why.starts_with(kFailed)) {
      status.state = RunState::failed;
      status.why.erase(0, kFailed.size());
    }
  }
  if (owner) {
    status.state = RunState::running;
    status.why = *owner;
  } else if (std::filesystem::exists(failure, error)) {
    status.state = RunState::failed;
    status.why = std::string(trim(read_text(failure)));
  }
  return status;
}

}  // namespace

RunStatus status_of(const Sweep& sweep, const PlannedRun& run) {
  try {
    return read_status(sweep, run);
  } catch (const InputError& bad) {
    return {.state = RunState::failed, .why = bad.what()};
  }
}

void note_failure(const Sweep& sweep, const PlannedRun& run, const std::string& why) {
  const std::filesystem::path file = failure_file(sweep, run);
  std::error_code error;
  if (why.empty()) {
    std::filesystem::remove(file, error);
    return;
  }
  make_directories(file.parent_path());
  write_atomically(file, why + "\n");
}

}  // namespace rhc
