// What was measured on a real system, as its logger wrote it: any order of columns, units in the
// header, decimal commas, stamps that jitter.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/describe/system_file.h"

namespace rhc {

struct MeasuredSettings {
  bool resample = false;  // to the system's time step, where stamps are not on it
  double delay = 0;       // seconds by which observations are stamped later than they were
  Matrix actions{};       // k x T, that were carried out, where the file has none; empty: unknown
};

struct Measured {
  Trajectory trajectory;               // as a model sees it: angles as cosine and sine
  std::vector<std::string> remarks{};  // what a person should know of how it was read
};

// InputError with file, line and column for whatever cannot be used as it is.
Measured read_measured(const std::filesystem::path& file, const SystemFile& system,
                       const MeasuredSettings& settings);
Measured parse_measured(std::string_view text, const std::string& name, const SystemFile& system,
                        const MeasuredSettings& settings);

}  // namespace rhc
