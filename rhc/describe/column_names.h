// The names that head columns in the tables of a system: those in its file, and those made of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/describe/system_file.h"

namespace rhc {

struct NameClash {
  bool action;     // or an observation
  std::size_t at;  // which of them
  std::string what;
};

// The first quantity that would share a column with another.
std::optional<NameClash> name_clash(const SystemSpec& spec, const std::vector<Measure>& measures);

}  // namespace rhc
