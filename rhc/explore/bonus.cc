#include "rhc/explore/bonus.h"

namespace rhc {

double BonusMeter::worth(const Vector& observation, const Vector& action, const Vector& next) {
  Transitions transition{Matrix(observation.size() + action.size(), 1), next - observation};
  transition.inputs << observation, action;
  if (kind_ == Bonus::prediction_error)
    return (transition.outputs - belief_.predict(transition.inputs).mean).squaredNorm();
  const double gain = information(belief_, transition.inputs);
  belief_.learn(transition);
  return gain;
}

}  // namespace rhc
