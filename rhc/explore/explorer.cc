#include "rhc/explore/explorer.h"

#include <algorithm>
#include <stdexcept>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/explore/curious_explorer.h"
#include "rhc/explore/neural_methods.h"
#include "rhc/explore/random_explorer.h"

namespace rhc {

Vector Explorer::act(const Vector&, int) {
  throw std::logic_error("this method decides on all actions of an episode at once");
}

std::vector<std::string> method_names() {
  return {"random", "rhc-us", "rhc-info", "rhc-evr", "sac-pe", "sac-ig", "max"};
}

std::string method_name(std::string_view name_or_alias) {
  if (name_or_alias == "rand") return "random";
  const std::vector<std::string> names = method_names();
  if (std::find(names.begin(), names.end(), name_or_alias) == names.end())
    throw InputError(unknown_name("method", name_or_alias, names));
  return std::string(name_or_alias);
}

std::unique_ptr<Explorer> make_explorer(const Config& config, const System& system, int threads) {
  const std::string method = method_name(config.method);
  if (method == "random") return std::make_unique<RandomExplorer>(system.spec(), config.seed);
  if (method == "max" || method.starts_with("sac-")) return make_neural_explorer(config, system);
  // rhc-us, rhc-info, rhc-evr: the objective's name is what follows the dash.
  return std::make_unique<CuriousExplorer>(
      system.spec(), CuriousSettings{.objective = method.substr(method.find('-') + 1),
                                     .weights = config.plan.weights,
                                     .discount = config.plan.discount,
                                     .stay_inside = config.plan.stay_inside,
                                     .limit_margin = config.plan.limit_margin,
                                     .first_hold = config.plan.first_hold,
                                     .first_levels = config.plan.first_levels,
                                     .planner = {.starts = config.plan.starts,
                                                 .signals = config.plan.signals,
                                                 .hops = config.plan.hops,
                                                 .threads = threads},
                                     .replan_starts = config.plan.replan_starts,
                                     .seed = config.seed});
}

}  // namespace rhc
