// What is not wrong in a description, and still hardly meant.
#pragma once

#include <string>
#include <vector>

#include "rhc/describe/system_file.h"

namespace rhc {

// In words, each with what to do.
std::vector<std::string> remarks_on_description(const SystemFile& system);

}  // namespace rhc
