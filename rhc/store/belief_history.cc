#include "rhc/store/belief_history.h"

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

}  // namespace rhc
