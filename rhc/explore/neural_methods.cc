#include "rhc/explore/neural_methods.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "rhc/core/error.h"

namespace rhc {

namespace {

namespace fs = std::filesystem;

// Beside the program, as it is built, or where it is installed.
std::vector<fs::path> module_places() {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  return {program / kNeuralModule, program.parent_path() / RHC_MODULE_DIRECTORY / kNeuralModule,
          fs::path(RHC_INSTALL_PREFIX) / RHC_MODULE_DIRECTORY / kNeuralModule};
}

// Stays open until the process ends: what it made may live as long.
NeuralFactory open_module(const std::string& method) {
  for (const fs::path& place : module_places()) {
    std::error_code unknown;
    if (!fs::exists(place, unknown)) continue;
    if (void* const module = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL))
      if (void* const factory = dlsym(module, kNeuralFactory))
        return reinterpret_cast<NeuralFactory>(factory);
    throw InputError(
        fmt::format("method '{}' cannot be loaded from {}: {}", method, place.string(), dlerror()));
  }
  throw InputError(fmt::format(
      "method '{}' needs LibTorch, and this rhc was built without it: `tools/setup torch` installs "
      "it "
      "(libtorch-dev and libopenblas0-pthread), then build again with -DRHC_WITH_TORCH=ON",
      method));
}

}  // namespace

std::unique_ptr<Explorer> make_neural_explorer(const Config& config, const System& system) {
  return std::unique_ptr<Explorer>(open_module(config.method)(config, system));
}

}  // namespace rhc
