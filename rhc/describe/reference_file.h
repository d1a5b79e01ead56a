// What a task follows: a target for every step, out of a CSV file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rhc/system/spec.h"

namespace rhc {

// Columns by the names of a task's targets (task_change.h), with units in brackets. With a column
// of the time, which counts from the first step of the plan, rows are interpolated to the time
// step; otherwise a row is a step. D x steps: what no column is about is NaN, and other columns are
// not looked at. InputError with file, line and column for whatever cannot be used.
Matrix read_reference(const std::filesystem::path& file, const SystemSpec& spec);
Matrix parse_reference(std::string_view text, const std::string& name, const SystemSpec& spec);

}  // namespace rhc
