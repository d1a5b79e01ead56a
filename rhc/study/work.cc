#include "rhc/study/work.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include "rhc/core/error.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/format/files.h"
#include "rhc/run/explore_run.h"
#include "rhc/store/run_directory.h"

namespace rhc {

namespace {

// A directory that holds something else must not be taken for the run.
void check_settings_of(const RunDirectory& directory, const PlannedRun& run) {
  if (const std::string other = difference(directory.config(), run.config); !other.empty())
    throw InputError(fmt::format("'{}' holds another run: {}", directory.path().string(), other));
}

// Nothing where it has just been finished. A lost episode of a simulator is soon repeated, so one
// sync a run is enough.
std::optional<RunDirectory> open_run(const Sweep& sweep, const PlannedRun& run, bool repair) {
  const std::filesystem::path path = sweep.run_path(run);
  const auto begun = [&] { return std::filesystem::exists(path / "manifest.json"); };
  if (!begun()) try {
      return RunDirectory(path, run.config, Sync::later);
    } catch (const InputError&) {
      if (!begun()) throw;  // or another process was faster by a moment
    }
  Lock lock(path);
  // Whoever held it a moment ago may have come to the end.
  if (status_of(sweep, run).state == RunState::finished) return std::nullopt;
  RunDirectory directory =
      RunDirectory::reopen(std::move(lock), path, run.config.episodes, repair, Sync::later);
  check_settings_of(directory, run);
  return directory;
}

// One that is held for moments only.
Lock lock_when_free(const std::filesystem::path& directory) {
  while (true) try {
      return Lock(directory);
    } catch (const BusyError&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

// What nobody can go on with is kept under another name.
std::optional<RunDirectory> open_or_begin_anew(const Sweep& sweep, const PlannedRun& run,
                                               bool retry) {
  try {
    return open_run(sweep, run, retry);
  } catch (const InputError&) {
    if (!retry) throw;
  }
  // By one process at a time, which looks again: what is there now may be another's new run.
  make_directories(sweep.path / "failures");
  const Lock lock = lock_when_free(sweep.path / "failures");
  try {
    return open_run(sweep, run, retry);
  } catch (const InputError&) {
  }
  const std::filesystem::path path = sweep.run_path(run);
  const std::filesystem::path aside = free_path(path.string() + ".damaged");
  std::error_code error;
  std::filesystem::rename(path, aside, error);
  if (error) throw IoError(fmt::format("cannot rename '{}': {}", path.string(), error.message()));
  return RunDirectory(path, run.config, Sync::later);
}

}  // namespace

const char* name(WorkEnd end) {
  switch (end) {
    case WorkEnd::finished:
      return "finished";
    case WorkEnd::interrupted:
      return "interrupted";
    case WorkEnd::busy:
      return "busy";
    case WorkEnd::failed:
      return "failed";
  }
  return "";
}

WorkResult work_on(const Sweep& sweep, const PlannedRun& run, Yardsticks& yardsticks,
                   const WorkSettings& settings) {
  const auto path = sweep.run_path(run);
  try {
    const RunStatus before = status_of(sweep, run);
    if (before.state == RunState::finished) return {WorkEnd::finished, "", before.seconds};
    if (before.state == RunState::failed && !settings.retry)
      return {WorkEnd::failed, before.why, before.seconds};
    std::optional<RunDirectory> directory = open_or_begin_anew(sweep, run, settings.retry);
    if (!directory) return {WorkEnd::finished, "", read_manifest(path / "manifest.json").seconds};
    note_failure(sweep, run, "");
    RunEvents events;
    events.stop_requested = settings.stop_requested;
    events.on_row = [&](const MetricsRow& row) {
      if (settings.on_episode) settings.on_episode(row.episode);
    };
    const RunResult result = explore_run(bundled_system(run.config.system), *directory, yardsticks,
                                         settings.threads, events);
    if (result.interrupted) return {WorkEnd::interrupted};
    return {WorkEnd::finished, "", read_manifest(path / "manifest.json").seconds};
  } catch (const BusyError& busy) {
    return {WorkEnd::busy, busy.what()};
  } catch (const std::exception& error) {
    note_failure(sweep, run, error.what());
    return {WorkEnd::failed, error.what()};
  }
}

}  // namespace rhc
