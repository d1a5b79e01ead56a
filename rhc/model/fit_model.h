// From data to model: scales, hyperparameters, weights.
#pragma once

#include <optional>

#include "rhc/model/maximize_evidence.h"

namespace rhc {

struct FittedModel {
  BayesianLinearModel model;
  EvidenceFit fit;
};

// Refits everything but the draw of the features; `previous` is where the last fit ended.
FittedModel fit_model(const FourierFeatures& draw, const Transitions& data,
                      const EvidenceSettings& settings,
                      const std::optional<Hyperparameters>& previous = std::nullopt);

}  // namespace rhc
