// A study on disk: its grid, its runs, and how far they are.
#pragma once

#include <filesystem>
#include <string>

#include "rhc/study/sweep_plan.h"

namespace rhc {

struct Sweep {
  std::filesystem::path path;
  std::string id;       // tells its jobs from those of others
  std::string version;  // of rhc, that began it
  SweepPlan plan;

  std::filesystem::path run_path(const PlannedRun& run) const { return path / "runs" / run.name; }
  std::filesystem::path yardsticks() const { return path / "yardsticks"; }
};

// A sweep that could begin in a directory or go on there: with the same grid, or one that adds runs
// or episodes. InputError where it holds another grid, something else, or the runs of another
// version of rhc, for those must not be mixed. `toml` is the text of the file `name`.
Sweep plan_sweep(const std::filesystem::path& path, const std::string& toml,
                 const std::string& name);

// Makes its directory, too.
Sweep begin_sweep(const std::filesystem::path& path, const std::string& toml,
                  const std::string& name);

// InputError where there is none.
Sweep open_sweep(const std::filesystem::path& path);

// InputError where it has none of that name.
const PlannedRun& run_named(const Sweep& sweep, const std::string& name);

// What of a run's settings is not as planned, its length aside; empty where all is.
std::string difference(const Config& there, const Config& planned);

enum class RunState { waiting, running, stopped, finished, failed };

struct RunStatus {
  RunState state = RunState::waiting;
  int episodes_done = 0;
  double seconds = 0;  // of work
  std::string why{};   // who is at it, or what ended it
};

// By locks, which a dead process cannot hold, and never by clocks, which differ from node to node.
RunStatus status_of(const Sweep& sweep, const PlannedRun& run);

// A run that cannot be done leaves its reason beside the runs, for its own directory may be what is
// wrong. It is removed with empty text.
void note_failure(const Sweep& sweep, const PlannedRun& run, const std::string& why);

}  // namespace rhc
