#include "rhc/explore/neural_methods.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "rhc/core/error.h"
#include "rhc/core/modules.h"
#include "rhc/core/version.h"

namespace rhc {

namespace {

namespace fs = std::filesystem;

// Stays open until the process ends: what it made may live as long.
NeuralFactory open_module(const std::string& method) {
  for (const fs::path& place : module_places(kNeuralModule)) {
    std::error_code unknown;
    if (!fs::exists(place, unknown)) continue;
    void* const module = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* const stamp = module ? dlsym(module, kNeuralStamp) : nullptr;
    void* const factory = stamp ? dlsym(module, kNeuralFactory) : nullptr;
    if (!factory)
      throw InputError(fmt::format(
          "method '{}' cannot be loaded from {}: {}; build or install it anew, with this "
          "rhc",
          method, place.string(), dlerror()));
    if (neural_stamp() != reinterpret_cast<NeuralStamp>(stamp)())
      throw InputError(fmt::format(
          "method '{}' cannot be loaded: {} was built with another rhc; build or install both anew",
          method, place.string()));
    return reinterpret_cast<NeuralFactory>(factory);
  }
  throw InputError(fmt::format(
      "method '{}' needs LibTorch, and this rhc was built without it: `tools/setup torch` installs "
      "libtorch-dev and libopenblas0-pthread, and the next build has it",
      method));
}

}  // namespace

std::string neural_stamp() {
  return fmt::format("{} {} {} {} {} {} {}", version(), commit(), sizeof(Config),
                     sizeof(SystemSpec), sizeof(Question), sizeof(DynamicsModel),
                     sizeof(NamedValues));
}

std::unique_ptr<Explorer> make_neural_explorer(const Config& config, const System& system) {
  // Their networks and bonuses see one observation and one action.
  if (system.spec().history > 1)
    throw InputError(fmt::format(
        "method '{}' sees only the last observation, and '{}' has a history of {}; choose rhc-evr, "
        "rhc-info, rhc-us or random",
        config.method, system.spec().name, system.spec().history));
  return std::unique_ptr<Explorer>(open_module(config.method)(config, system));
}

}  // namespace rhc
