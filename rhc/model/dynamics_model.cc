#include "rhc/model/dynamics_model.h"

#include <fmt/format.h>

#include <utility>

#include "rhc/core/error.h"
#include "rhc/model/information.h"

namespace rhc {

DynamicsShape shape_of(const SystemSpec& spec, bool stay_inside) {
  return {.observed = spec.outputs(),
          .acted = spec.action_bounds.size(),
          .history = spec.history,
          .angles = stay_inside ? spec.angles : std::vector<AnglePair>{},
          .action_at_rest = action_at_rest(spec)};
}

DynamicsModel::DynamicsModel(BayesianLinearModel fitted, DynamicsShape seen)
    : regression(std::move(fitted)), shape(std::move(seen)) {
  const Index n = regression.features.inputs(), D = regression.noise.size();
  if (n != shape.inputs() || D != shape.observed)
    throw InputError(fmt::format("the model has {} inputs and {} outputs, the system has {} and {}",
                                 n, D, shape.inputs(), shape.observed));
}

Matrix DynamicsModel::inputs(const Matrix& observations, const Matrix& actions) const {
  return model_inputs(observations, actions, shape.history, shape.action_at_rest);
}

double DynamicsModel::information(const Matrix& observations, const Matrix& actions) const {
  return rhc::information(regression, inputs(observations, actions));
}

DynamicsModel DynamicsModel::imagining(const std::vector<Trajectory>& expected) const {
  DynamicsModel surer = *this;
  for (const Trajectory& trajectory : expected) {
    const Matrix z = inputs(trajectory.observations, trajectory.actions);
    surer.regression.learn({z, regression.predict(z).mean});
  }
  return surer;
}

DynamicsModel DynamicsModel::drawn(RandomStream& randomness) const {
  DynamicsModel possible = *this;
  possible.regression.weights = regression.sample_weights(randomness);
  return possible;
}

}  // namespace rhc
