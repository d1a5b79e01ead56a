#include "rhc/explore/explorer.h"

#include <algorithm>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/explore/random_explorer.h"

namespace rhc {

std::vector<std::string> method_names() { return {"random"}; }

std::string method_name(std::string_view name_or_alias) {
  if (name_or_alias == "rand") return "random";
  const std::vector<std::string> names = method_names();
  if (std::find(names.begin(), names.end(), name_or_alias) == names.end())
    throw InputError(unknown_name("method", name_or_alias, names));
  return std::string(name_or_alias);
}

std::unique_ptr<Explorer> make_explorer(std::string_view method, const SystemSpec& spec,
                                        std::uint64_t seed) {
  method_name(method);  // refuses a method that does not exist; there is one so far
  return std::make_unique<RandomExplorer>(spec.action_bounds, seed);
}

}  // namespace rhc
