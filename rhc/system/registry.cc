#include "rhc/system/registry.h"

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/mountain_car.h"
#include "rhc/system/pendulum.h"

namespace rhc {

std::vector<std::string> system_names() { return {"mountain-car", "pendulum", "cartpole"}; }

System make_system(std::string_view name) {
  if (name == "mountain-car" || name == "mountaincar") return MountainCar{};
  if (name == "pendulum") return Pendulum{};
  if (name == "cartpole" || name == "cart-pole") return Cartpole{};
  throw InputError(unknown_name("system", name, system_names()));
}

}  // namespace rhc
