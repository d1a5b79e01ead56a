#include "rhc/explore/belief_record.h"

#include <fmt/format.h>

#include <utility>

#include "rhc/core/error.h"

namespace rhc {

FourierFeatures run_features(const Config& config, const SystemSpec& spec, std::uint64_t draw) {
  return draw_features(features_for(config, spec), spec.inputs(),
                       RandomStream(config.seed, "features", draw));
}

DynamicsModel rebuild(const BeliefRecord& record, const Config& config, const SystemSpec& spec,
                      const Transitions& data) {
  if (record.hyperparameters.bandwidth.size() != spec.inputs() ||
      record.hyperparameters.noise.size() != spec.outputs())
    throw InputError(fmt::format("the belief after episode {} is not one about '{}'",
                                 record.episode, spec.name));
  BayesianLinearModel regression(run_features(config, spec, record.draw), record.hyperparameters,
                                 record.outputs);
  regression.learn(data);
  return {std::move(regression), shape_of(spec, config.plan.stay_inside)};
}

}  // namespace rhc
