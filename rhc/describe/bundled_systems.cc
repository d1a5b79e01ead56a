#include "rhc/describe/bundled_systems.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "rhc/core/embed.h"
#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/system_file.h"
#include "rhc/system/mujoco_model.h"
#include "rhc/system/registry.h"

RHC_EMBED(rhc_pendulum_mujoco, RHC_PENDULUM_MUJOCO);
RHC_EMBED(rhc_cartpole_mujoco, RHC_CARTPOLE_MUJOCO);
RHC_EMBED(rhc_acrobot, RHC_ACROBOT);
RHC_EMBED(rhc_two_pole_cart, RHC_TWO_POLE_CART);
RHC_EMBED(rhc_arm, RHC_ARM);

namespace rhc {

namespace {

// A file of systems/ with its model in it.
struct Bundled {
  const char* name;
  std::string_view toml;
};

std::array<Bundled, 5> bundled_files() {
  return {{{"pendulum-mujoco", {rhc_pendulum_mujoco_begin, rhc_pendulum_mujoco_end}},
           {"cartpole-mujoco", {rhc_cartpole_mujoco_begin, rhc_cartpole_mujoco_end}},
           {"acrobot", {rhc_acrobot_begin, rhc_acrobot_end}},
           {"two-pole-cart", {rhc_two_pole_cart_begin, rhc_two_pole_cart_end}},
           {"arm", {rhc_arm_begin, rhc_arm_end}}}};
}

}  // namespace

std::vector<std::string> bundled_names() {
  std::vector<std::string> names = system_names();
  if (has_mujoco())
    for (const Bundled& file : bundled_files()) names.emplace_back(file.name);
  return names;
}

System bundled_system(const std::string& name) {
  for (const Bundled& file : bundled_files())
    if (name == file.name) {
      if (!has_mujoco())
        throw InputError(
            fmt::format("system '{}' needs MuJoCo, and this rhc was built without it: `tools/setup "
                        "mujoco` installs it, and the next build has it",
                        name));
      return parse_system(file.toml, name + ".toml", ".").system;
    }
  // Its own list of names is shorter.
  try {
    return make_system(name);
  } catch (const InputError&) {
    throw InputError(unknown_name("system", name, bundled_names()));
  }
}

}  // namespace rhc
