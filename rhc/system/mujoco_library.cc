#include "rhc/system/mujoco_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "rhc/core/error.h"
#include "rhc/core/modules.h"

namespace rhc {

namespace {

namespace fs = std::filesystem;

// Left alone, MuJoCo ends the process at an error, and writes warnings into the current directory.
void take_message(const mjLogMessage* message) {
  if (message->level == mjLOG_ERROR)
    throw InputError(fmt::format("MuJoCo gave up: {}", message->subject));
}

MujocoLibrary open_library() {
  std::vector<fs::path> places = module_places(fs::path(RHC_MUJOCO_LIBRARY).filename());
  // As it was found when rhc was built.
  if (places.size() > 1) places.emplace_back(RHC_MUJOCO_LIBRARY);
  for (const fs::path& place : places) {
    std::error_code unknown;
    if (!fs::exists(place, unknown)) continue;
    void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      throw InputError(
          fmt::format("MuJoCo cannot be loaded from {}: {}", place.string(), dlerror()));
    MujocoLibrary library{};
    const auto find = [&](auto& function, const char* name) {
      void* const found = dlsym(handle, name);
      if (!found)
        throw InputError(fmt::format("{} has no {}: it is not MuJoCo {}.{}.{}", place.string(),
                                     name, mjVERSION_HEADER / 1000000,
                                     mjVERSION_HEADER / 1000 % 1000, mjVERSION_HEADER % 1000));
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    };
#define RHC_MUJOCO_FIND(name) find(library.name, #name);
    RHC_MUJOCO_FUNCTIONS(RHC_MUJOCO_FIND)
#undef RHC_MUJOCO_FIND
    if (library.mj_version() != mjVERSION_HEADER)
      throw InputError(fmt::format("{} is MuJoCo {}; this rhc was built for another: build it anew",
                                   place.string(), library.mj_versionString()));
    library.mju_setLogHandler(take_message);
    return library;
  }
  throw InputError(fmt::format(
      "this system needs MuJoCo, and {} is gone: `tools/setup mujoco` installs it again",
      places.back().string()));
}

}  // namespace

const MujocoLibrary& mujoco_library() {
  static const MujocoLibrary library = open_library();
  return library;
}

}  // namespace rhc
