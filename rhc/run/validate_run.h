// What a run has learned, against logs that it did not learn from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rhc/describe/measured.h"
#include "rhc/store/run_record.h"
#include "rhc/store/validation_file.h"

namespace rhc {

struct ValidationLog {
  std::string name;  // what errors call it
  Trajectory trajectory;
  std::vector<std::string> remarks{};  // what a person should know of it
};

// Of a trajectory as the model sees it.
ValidationLog validation_log(const RunRecord& run, const std::string& name, Trajectory trajectory);

// A log as `rhc tell` reads it: by the names of the run's description, or, for a bundled or
// simulated system, by those of the observations, as in episodes/. InputError as of
// `read_measured`.
ValidationLog read_validation_log(const RunRecord& run, const std::filesystem::path& file,
                                  const MeasuredSettings& settings);

// InputError where nothing was learned yet, or a log is too short.
ValidationRecord validate_run(const RunRecord& run, const std::vector<ValidationLog>& logs,
                              const ValidationSettings& settings);

}  // namespace rhc
