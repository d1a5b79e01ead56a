#include "rhc/plan/step_information.h"

#include <cmath>
#include <utility>

namespace rhc {

StepInformation::StepInformation(const PlanningModel& model, Vector time_weights)
    : leverage_(model, time_weights.size()),
      weights_(std::move(time_weights)),
      outputs_(static_cast<double>(model.outputs)),
      weighted_(model.features(), weights_.size()) {}

double StepInformation::evaluate(const Rollout& rollout) {
  leverage_.evaluate(rollout);
  double sum = 0;
  for (Index t = 0; t < weights_.size(); ++t)
    sum += weights_[t] * std::log1p(leverage_.variance[t]);
  return -0.5 * outputs_ * sum;
}

void StepInformation::expand(const Rollout&, Expansion& at) {
  for (Index t = 0; t < weights_.size(); ++t)
    weighted_.col(t) = (-outputs_ * weights_[t] / (1 + leverage_.variance[t])) * leverage_.Z.col(t);
  leverage_.add_slope(weighted_, at.feature_slope);
}

}  // namespace rhc
