#include "rhc/plan/objectives.h"

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/plan/entropy.h"
#include "rhc/plan/step_information.h"
#include "rhc/plan/variance.h"

namespace rhc {

std::vector<std::string> curious_objectives() { return {"us", "info", "evr"}; }

std::unique_ptr<Objective> make_curious_objective(std::string_view name, const PlanningModel& model,
                                                  const Vector& time_weights) {
  if (name == "us") return std::make_unique<Variance>(model, time_weights);
  if (name == "info") return std::make_unique<StepInformation>(model, time_weights);
  if (name == "evr") return std::make_unique<Entropy>(model, time_weights);
  throw InputError(unknown_name("objective", name, curious_objectives()));
}

Vector time_weights(TimeWeights kind, double factor, Index horizon) {
  Vector weights = Vector::Ones(horizon);
  if (kind == TimeWeights::last) {
    weights.setZero();
    weights[horizon - 1] = 1;
  } else if (kind == TimeWeights::discount) {
    for (Index t = 1; t < horizon; ++t) weights[t] = factor * weights[t - 1];
  }
  return weights;
}

}  // namespace rhc
