#include "rhc/core/modules.h"

#include <cstdlib>

namespace rhc {

namespace fs = std::filesystem;

std::vector<fs::path> module_places(const std::string& file) {
  if (const char* const directory = std::getenv("RHC_MODULES")) return {fs::path(directory) / file};
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  return {program / file, program.parent_path() / RHC_MODULE_DIRECTORY / file,
          fs::path(RHC_INSTALL_PREFIX) / RHC_MODULE_DIRECTORY / file};
}

}  // namespace rhc
