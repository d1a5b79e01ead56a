#include "rhc/plan/step_information.h"

#include <cmath>
#include <utility>

namespace rhc {

StepInformation::StepInformation(const PlanningModel& model, Vector time_weights)
    : leverages_(leverages(model, time_weights.size())), weights_(std::move(time_weights)) {}

double StepInformation::evaluate(const Rollout& rollout) {
  double nats = 0;
  for (Leverage& leverage : leverages_) {
    leverage.evaluate(rollout);
    double sum = 0;
    for (Index t = 0; t < weights_.size(); ++t)
      sum += weights_[t] * std::log1p(leverage.variance[t]);
    nats -= 0.5 * leverage.doubt.outputs * sum;
  }
  return nats;
}

void StepInformation::expand(const Rollout&, Expansion& at) {
  for (Leverage& leverage : leverages_) {
    for (Index t = 0; t < weights_.size(); ++t)
      leverage.weighted.col(t) =
          (-leverage.doubt.outputs * weights_[t] / (1 + leverage.variance[t])) * leverage.Z.col(t);
    leverage.add_slope(leverage.weighted, at.feature_slope);
  }
}

}  // namespace rhc
