// A validation as JSON: what `rhc validate` prints, and validation.json of a run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rhc/evaluate/validation.h"
#include "rhc/format/json.h"

namespace rhc {

// What it was of, besides its numbers.
struct ValidationRecord {
  Validation validation;
  std::vector<std::string> observations;  // names
  std::vector<std::string> logs;          // as they were named
  Index transitions = 0;                  // that the model had learned from
};

Json validation_json(const ValidationRecord& record);

// The file in which a run keeps the last one that was to be kept.
inline constexpr char kValidationFile[] = "validation.json";

std::string validation_text(const ValidationRecord& record);

// InputError where it is no validation, or was changed.
ValidationRecord parse_validation(std::string_view text, const std::string& where);

}  // namespace rhc
