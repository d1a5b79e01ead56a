#include "rhc/model/fit_model.h"

#include <utility>

#include "rhc/model/paper_fit.h"

namespace rhc {

FittedModel fit_model(const FourierFeatures& draw, const Transitions& data,
                      const EvidenceSettings& settings,
                      const std::optional<Hyperparameters>& previous) {
  check(data, draw.inputs(), data.outputs.rows());
  const bool paper = settings.bandwidth == BandwidthRule::paper;
  const Index outputs = data.outputs.rows();
  // The paper's code takes outputs as they are.
  const Standardization standardization =
      paper ? Standardization{Vector::Zero(outputs), Vector::Ones(outputs)}
            : standardization_of(data.outputs);
  EvidenceFit fit = paper ? paper_fit(draw, data, previous, settings.stop)
                          : maximize_evidence(draw, data, standardization, settings, previous);
  BayesianLinearModel model(draw, fit.hyperparameters, standardization);
  model.learn(data, settings.stop);
  return {std::move(model), std::move(fit)};
}

}  // namespace rhc
