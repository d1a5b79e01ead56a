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

// Of the module, which stays open until the process ends: what it made may live as long. `what`
// needs it.
void* symbol_in_module(const char* name, const std::string& what) {
  for (const fs::path& place : module_places(kNeuralModule)) {
    std::error_code unknown;
    if (!fs::exists(place, unknown)) continue;
    void* const module = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* const stamp = module ? dlsym(module, kNeuralStamp) : nullptr;
    void* const symbol = stamp ? dlsym(module, name) : nullptr;
    if (!symbol)
      throw InputError(
          fmt::format("{} cannot be loaded from {}: {}; build or install it anew, with this rhc",
                      what, place.string(), dlerror()));
    if (neural_stamp() != reinterpret_cast<NeuralStamp>(stamp)())
      throw InputError(fmt::format(
          "{} cannot be loaded: {} was built with another rhc; build or install both anew", what,
          place.string()));
    return symbol;
  }
  throw InputError(fmt::format(
      "{} needs LibTorch, and this rhc was built without it: `tools/setup torch` installs "
      "libtorch-dev and libopenblas0-pthread, and the next build has it",
      what));
}

NetworkTrainer network_trainer() {
  return reinterpret_cast<NetworkTrainer>(
      symbol_in_module(kNetworkTrainer, "setting 'network_from'"));
}

}  // namespace

std::string neural_stamp() {
  return fmt::format("{} {} {} {} {} {} {} {}", version(), commit(), sizeof(Config),
                     sizeof(SystemSpec), sizeof(Question), sizeof(DynamicsModel),
                     sizeof(NamedValues), sizeof(NetworkLesson));
}

std::unique_ptr<Explorer> make_neural_explorer(const Config& config, const System& system) {
  // Their networks and bonuses see one observation and one action.
  if (system.spec().history > 1)
    throw InputError(fmt::format(
        "method '{}' sees only the last observation, and '{}' has a history of {}; choose rhc-evr, "
        "rhc-info, rhc-us or random",
        config.method, system.spec().name, system.spec().history));
  const auto factory = reinterpret_cast<NeuralFactory>(
      symbol_in_module(kNeuralFactory, "method '" + config.method + "'"));
  return std::unique_ptr<Explorer>(factory(config, system));
}

FourierFeatures train_network(const NetworkLesson& lesson) {
  FourierFeatures trained;
  network_trainer()(lesson, trained);
  return trained;
}

bool has_neural_module() {
  for (const fs::path& place : module_places(kNeuralModule)) {
    std::error_code unknown;
    if (fs::exists(place, unknown)) return true;
  }
  return false;
}

void check_neural_module() { symbol_in_module(kNeuralFactory, "a method with networks"); }

void check_network(const Config& config) {
  if (config.network.from > 0) network_trainer();
}

}  // namespace rhc
