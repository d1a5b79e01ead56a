#include "rhc/system/registry.h"

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/double_pendulum.h"
#include "rhc/system/mountain_car.h"
#include "rhc/system/pendulum.h"

namespace rhc {

std::vector<std::string> paper_system_names() { return {"mountain-car", "pendulum", "cartpole"}; }

std::vector<std::string> system_names() {
  std::vector<std::string> names = paper_system_names();
  names.insert(names.end(), {"acrobot-realaigym", "pendubot-realaigym"});
  return names;
}

System make_system(std::string_view name) {
  if (name == "mountain-car" || name == "mountaincar") return MountainCar{};
  if (name == "pendulum") return Pendulum{};
  if (name == "cartpole" || name == "cart-pole") return Cartpole{};
  if (name == "acrobot-realaigym") return DoublePendulum{.motor = Motor::elbow};
  if (name == "pendubot-realaigym") return DoublePendulum{.motor = Motor::shoulder};
  throw InputError(unknown_name("system", name, system_names()));
}

}  // namespace rhc
