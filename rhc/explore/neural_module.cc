// The module's door: from a config to an explorer with networks.
#include "rhc/core/error.h"
#include "rhc/explore/max_explorer.h"
#include "rhc/explore/neural_methods.h"
#include "rhc/explore/sac_explorer.h"

namespace rhc {

namespace {

std::unique_ptr<Explorer> sac_explorer(const Config& config, const System& system, Bonus bonus) {
  return std::make_unique<SacExplorer>(
      system.spec(), SacExplorerSettings{.bonus = bonus,
                                         .sac = {.hidden = config.sac_hidden,
                                                 .discount = config.sac_discount,
                                                 .target_rate = config.sac_target_rate,
                                                 .learning_rate = config.sac_learning_rate,
                                                 .buffer = config.sac_buffer,
                                                 .batch = config.sac_batch},
                                         .updates = config.sac_updates,
                                         .device = config.device,
                                         .seed = config.seed});
}

std::unique_ptr<Explorer> max_explorer(const Config& config, const System& system) {
  return std::make_unique<MaxExplorer>(
      system, MaxSettings{.ensemble = {.members = config.max_members,
                                       .hidden = config.max_hidden,
                                       .learning_rate = config.max_learning_rate,
                                       .batch = config.max_batch,
                                       .updates = config.max_updates},
                          .imagination = {.actors = config.max_actors,
                                          .steps = config.max_steps,
                                          .warm_up = config.max_warm_up,
                                          .variance_share = config.max_variance_share},
                          .policy = {.hidden = config.max_policy_hidden,
                                     .discount = config.sac_discount,
                                     .target_rate = config.sac_target_rate,
                                     .learning_rate = config.max_policy_learning_rate,
                                     .buffer = config.sac_buffer,
                                     .batch = config.max_policy_batch,
                                     .temperature = config.max_temperature},
                          .stay_inside = config.stay_inside,
                          .device = config.device,
                          .seed = config.seed});
}

}  // namespace

}  // namespace rhc

extern "C" rhc::Explorer* rhc_make_neural_explorer(const rhc::Config& config,
                                                   const rhc::System& system) {
  using namespace rhc;
  const std::string method = method_name(config.method);
  if (method == "sac-pe") return sac_explorer(config, system, Bonus::prediction_error).release();
  if (method == "sac-ig") return sac_explorer(config, system, Bonus::information_gain).release();
  if (method == "max") return max_explorer(config, system).release();
  throw InputError("method '" + method + "' has no networks");
}
