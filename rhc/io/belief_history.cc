#include "rhc/io/belief_history.h"

#include <fmt/format.h>

#include "rhc/core/error.h"

namespace rhc {

Json belief_json(const BeliefRecord& record) {
  return {{"episode", record.episode},
          {"draw", record.draw},
          {"transitions", record.transitions},
          {"bandwidth", vector_json(record.hyperparameters.bandwidth)},
          {"prior_precision", record.hyperparameters.prior_precision},
          {"noise", vector_json(record.hyperparameters.noise)},
          {"output_mean", vector_json(record.outputs.mean)},
          {"output_scale", vector_json(record.outputs.scale)}};
}

BeliefRecord belief_record(const JsonReader& reader) {
  const Index n = reader.size("bandwidth"), D = reader.size("noise");
  return {.episode = static_cast<int>(reader.count("episode", 1)),
          .draw = static_cast<std::uint64_t>(reader.count("draw", 0)),
          .transitions = reader.count("transitions", 0),
          .hyperparameters = {reader.vector("bandwidth", n), reader.number("prior_precision"),
                              reader.vector("noise", D)},
          .outputs = {reader.vector("output_mean", D), reader.vector("output_scale", D)}};
}

FourierFeatures run_features(const Config& config, const SystemSpec& spec, std::uint64_t draw) {
  return draw_features(features_for(config, spec), spec.inputs(),
                       RandomStream(config.seed, "features", draw));
}

BayesianLinearModel rebuild(const BeliefRecord& record, const Config& config,
                            const SystemSpec& spec, const Transitions& data) {
  if (record.hyperparameters.bandwidth.size() != spec.inputs() ||
      record.hyperparameters.noise.size() != spec.outputs())
    throw InputError(fmt::format("the belief after episode {} is not one about '{}'",
                                 record.episode, spec.name));
  BayesianLinearModel model(run_features(config, spec, record.draw), record.hyperparameters,
                            record.outputs);
  model.learn(data);
  return model;
}

}  // namespace rhc
