#include "rhc/model/fit_model.h"

#include <cmath>
#include <utility>

#include "rhc/model/evidence.h"
#include "rhc/model/paper_fit.h"

namespace rhc {

FittedModel fit_model(const FourierFeatures& draw, const Transitions& data,
                      const EvidenceSettings& settings,
                      const std::optional<Hyperparameters>& previous) {
  check(data, draw.inputs(), data.outputs.rows());
  if (settings.bandwidth == BandwidthRule::paper) {
    // In raw units, as the paper's code.
    const Standardization raw{Vector::Zero(data.outputs.rows()), Vector::Ones(data.outputs.rows())};
    EvidenceFit fit{};
    fit.hyperparameters = paper_fit(draw, data, previous);
    const Matrix no_region;
    Evidence evidence(draw, data.inputs, data.outputs, no_region);
    const Hyperparameters& found = fit.hyperparameters;
    fit.log_evidence = fit.objective =
        evidence.set(found.bandwidth.cwiseAbs().array().log(), std::log(found.prior_precision))
            ? evidence.value(found.noise)
            : -kInfinity;
    BayesianLinearModel model(draw, fit.hyperparameters, raw);
    model.learn(data);
    return {std::move(model), std::move(fit)};
  }
  const Standardization standardization = standardization_of(data.outputs);
  EvidenceFit fit = maximize_evidence(draw, data, standardization, settings, previous);
  BayesianLinearModel model(draw, fit.hyperparameters, standardization);
  model.learn(data);
  return {std::move(model), std::move(fit)};
}

}  // namespace rhc
