// Libraries that are opened only when something needs them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rhc {

// Where such a file may lie: beside the program, as it is built, or where it is installed; or only
// where the environment's RHC_MODULES says.
std::vector<std::filesystem::path> module_places(const std::string& file);

}  // namespace rhc
