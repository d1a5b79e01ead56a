#include "rhc/plan/variance.h"

#include <utility>

namespace rhc {

Variance::Variance(const PlanningModel& model, Vector time_weights)
    : leverage_(model, time_weights.size()),
      weights_(std::move(time_weights)),
      weighted_(model.features(), weights_.size()) {}

double Variance::evaluate(const Rollout& rollout) {
  leverage_.evaluate(rollout);
  return -weights_.dot(leverage_.variance);
}

void Variance::expand(const Rollout&, Expansion& at) {
  // The variance is convex in the features: its second derivative there would bend the cost
  // downwards, and leaving it out makes every step safe.
  weighted_ = leverage_.Z * (-2 * weights_).asDiagonal();
  leverage_.add_slope(weighted_, at.feature_slope);
}

}  // namespace rhc
