// What differs between two descriptions of a system, and whether data mean the same under both.
#pragma once

#include <string>
#include <vector>

#include "rhc/describe/system_file.h"

namespace rhc {

struct DescriptionChange {
  std::vector<std::string> differences;  // such as "bounds of 'torque': [-1, 1], now [-0.5, 0.5]"
  std::vector<std::string> refused;      // the same of what would change the meaning of the data
};

DescriptionChange description_change(const SystemFile& before, const SystemFile& after);

}  // namespace rhc
