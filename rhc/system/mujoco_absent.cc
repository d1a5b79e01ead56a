// In the place of mujoco_model.cc where rhc is built without MuJoCo.
#include "rhc/core/error.h"
#include "rhc/system/mujoco_model.h"

namespace rhc {

namespace {

[[noreturn]] void refuse_model(const std::string& name) {
  throw InputError(name +
                   " needs MuJoCo, and this rhc was built without it: `tools/setup mujoco` "
                   "installs it, and the next build has it");
}

}  // namespace

bool has_mujoco() { return false; }

std::string mujoco_version() { return ""; }

void check_mujoco() { refuse_model("a MuJoCo model"); }

std::shared_ptr<const MujocoModel> read_mjcf(const std::filesystem::path& file) {
  refuse_model(file.string());
}

std::shared_ptr<const MujocoModel> parse_mjcf(const std::string&, const std::string& name) {
  refuse_model(name);
}

}  // namespace rhc
