// The module's door: from a config to an explorer with networks, and to a network's features.
#include <c10/util/Exception.h>

#include "rhc/core/error.h"
#include "rhc/explore/neural_methods.h"
#include "rhc/neural/max_explorer.h"
#include "rhc/neural/sac_explorer.h"
#include "rhc/neural/sine_network.h"

namespace rhc {

namespace {

std::unique_ptr<Explorer> sac_explorer(const Config& config, const System& system, Bonus bonus) {
  return std::make_unique<SacExplorer>(
      system.spec(), SacExplorerSettings{.bonus = bonus,
                                         .sac = {.hidden = config.sac.hidden,
                                                 .discount = config.sac.discount,
                                                 .target_rate = config.sac.target_rate,
                                                 .learning_rate = config.sac.learning_rate,
                                                 .buffer = config.sac.buffer,
                                                 .batch = config.sac.batch},
                                         .updates = config.sac.updates,
                                         .device = config.device,
                                         .seed = config.seed});
}

std::unique_ptr<Explorer> max_explorer(const Config& config, const System& system) {
  return std::make_unique<MaxExplorer>(
      system, MaxSettings{.ensemble = {.members = config.max.members,
                                       .hidden = config.max.hidden,
                                       .learning_rate = config.max.learning_rate,
                                       .batch = config.max.batch,
                                       .updates = config.max.updates},
                          .imagination = {.actors = config.max.actors,
                                          .steps = config.max.steps,
                                          .warm_up = config.max.warm_up,
                                          .variance_share = config.max.variance_share},
                          .policy = {.hidden = config.max.policy_hidden,
                                     .discount = config.sac.discount,
                                     .target_rate = config.sac.target_rate,
                                     .learning_rate = config.max.policy_learning_rate,
                                     .buffer = config.sac.buffer,
                                     .batch = config.max.policy_batch,
                                     .temperature = config.max.temperature},
                          .stay_inside = config.plan.stay_inside,
                          .device = config.device,
                          .seed = config.seed});
}

// LibTorch explains itself by a list of stack frames: its first line is what a person needs.
template <class Work>
auto explained(const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    throw LearningError("LibTorch failed: " + text.substr(0, text.find('\n')));
  }
}

class Explained final : public Explorer {
 public:
  explicit Explained(std::unique_ptr<Explorer> explorer) : explorer_(std::move(explorer)) {}

  Decision decide(const Question& question) override {
    return explained([&] { return explorer_->decide(question); });
  }
  Vector act(const Vector& observation, int step) override {
    return explained([&] { return explorer_->act(observation, step); });
  }
  void learn(const Matrix& decided, const Trajectory& seen) override {
    explained([&] { explorer_->learn(decided, seen); });
  }
  void save(NamedValues& values) const override { explorer_->save(values); }
  void restore(const NamedValues& values) override {
    explained([&] { explorer_->restore(values); });
  }

 private:
  std::unique_ptr<Explorer> explorer_;
};

std::unique_ptr<Explorer> explorer_for(const std::string& method, const Config& config,
                                       const System& system) {
  if (method == "sac-pe") return sac_explorer(config, system, Bonus::prediction_error);
  if (method == "sac-ig") return sac_explorer(config, system, Bonus::information_gain);
  if (method == "max") return max_explorer(config, system);
  throw InputError("method '" + method + "' has no networks");
}

}  // namespace

}  // namespace rhc

extern "C" {

const char* rhc_neural_build() {
  static const std::string stamp = rhc::neural_stamp();
  return stamp.c_str();
}

rhc::Explorer* rhc_make_neural_explorer(const rhc::Config& config, const rhc::System& system) {
  using namespace rhc;
  return new Explained(
      explained([&] { return explorer_for(method_name(config.method), config, system); }));
}

void rhc_train_network(const rhc::NetworkLesson& lesson, rhc::FourierFeatures& trained) {
  trained = rhc::explained([&] { return rhc::sine_network(lesson); });
}
}
