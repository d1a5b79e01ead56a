#include "rhc/model/fit_model.h"

#include <utility>

namespace rhc {

FittedModel fit_model(const FourierFeatures& draw, const Transitions& data,
                      const EvidenceSettings& settings,
                      const std::optional<Hyperparameters>& previous) {
  check(data, draw.inputs(), data.outputs.rows());
  const Standardization standardization = standardization_of(data.outputs);
  EvidenceFit fit = maximize_evidence(draw, data, standardization, settings, previous);
  BayesianLinearModel model(draw, fit.hyperparameters, standardization);
  model.learn(data);
  return {std::move(model), std::move(fit)};
}

}  // namespace rhc
