// Enough about the model after an episode to make it again from the episodes.
#pragma once

#include <cstdint>

#include "rhc/explore/config.h"
#include "rhc/model/dynamics_model.h"

namespace rhc {

struct BeliefRecord {
  int episode = 0;         // after which it was held
  std::uint64_t draw = 0;  // of the features: how often they had been drawn anew
  Index transitions = 0;
  Hyperparameters hyperparameters{};
  Standardization outputs{};
};

// The features of a run's n-th draw.
FourierFeatures run_features(const Config& config, const SystemSpec& spec, std::uint64_t draw);

// The model, up to rounding: `data` is what had been learned from. InputError where they do not
// fit.
DynamicsModel rebuild(const BeliefRecord& record, const Config& config, const SystemSpec& spec,
                      const Transitions& data);

}  // namespace rhc
