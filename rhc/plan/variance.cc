#include "rhc/plan/variance.h"

#include <utility>

namespace rhc {

Variance::Variance(const PlanningModel& model, Vector time_weights)
    : leverages_(leverages(model, time_weights.size())),
      weights_(std::move(time_weights)),
      outputs_(static_cast<double>(model.outputs)) {}

double Variance::evaluate(const Rollout& rollout) {
  double sum = 0;
  for (Leverage& leverage : leverages_) {
    leverage.evaluate(rollout);
    sum -= leverage.doubt.outputs / outputs_ * weights_.dot(leverage.variance);
  }
  return sum;
}

void Variance::expand(const Rollout&, Expansion& at) {
  // The variance is convex in the features: its second derivative there would bend the cost
  // downwards, and leaving it out makes every step safe.
  for (Leverage& leverage : leverages_) {
    leverage.weighted =
        leverage.Z * (-2 * leverage.doubt.outputs / outputs_ * weights_).asDiagonal();
    leverage.add_slope(leverage.weighted, at.feature_slope);
  }
}

}  // namespace rhc
