// Enough about the model after an episode to make it again from the episodes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rhc/explore/config.h"
#include "rhc/model/dynamics_model.h"

namespace rhc {

// One posterior: of all outputs, or of one.
struct PosteriorRecord {
  Hyperparameters hyperparameters{};
  Standardization outputs{};
  Vector centre{}, scale{};  // of the affine features; empty: there are none
};

struct BeliefRecord {
  int episode = 0;         // after which it was held
  std::uint64_t draw = 0;  // of the features: how often they had been drawn anew
  Index transitions = 0;
  std::vector<PosteriorRecord> posteriors{};  // one that all outputs share, or one for each
  // Of features that are a network's: which of the run's, and its layers, the features last.
  std::uint64_t network = 0;  // none
  std::shared_ptr<const SineLayers> layers{};
  bool trained = false;  // since the belief before; the layers stand with the first one alone
};

// The layers of beliefs that an earlier one has, too.
void share_networks(std::vector<BeliefRecord>& beliefs);

PosteriorRecord record_of(const BayesianLinearModel& posterior);

// The features of a run's n-th draw.
FeatureDraws run_features(const Config& config, const SystemSpec& spec, std::uint64_t draw);

// A network's layers as features, with unit bandwidths; and back.
FourierFeatures network_features(SineLayers layers);
SineLayers layers_of(const FourierFeatures& features);

// Those behind its forecasts.
FeatureDraws wide_features(const Config& config, const SystemSpec& spec);

// The model, up to rounding: `episodes` are what had been learned from. Its weights are those that
// were learned step by step, also where whole trajectories told more. InputError where they do not
// fit.
DynamicsModel rebuild(const BeliefRecord& record, const Config& config, const SystemSpec& spec,
                      const std::vector<Transitions>& episodes);

}  // namespace rhc
