#include "rhc/model/dynamics_model.h"

#include <fmt/format.h>

#include <utility>

#include "rhc/core/error.h"

namespace rhc {

DynamicsShape shape_of(const SystemSpec& spec, bool stay_inside) {
  return {.observed = spec.outputs(),
          .acted = spec.action_bounds.size(),
          .history = spec.history,
          .angles = stay_inside ? spec.angles : std::vector<AnglePair>{},
          .action_at_rest = action_at_rest(spec)};
}

DynamicsModel::DynamicsModel(Regression fitted, DynamicsShape seen)
    : regression(std::move(fitted)), shape(std::move(seen)) {
  const Index n = regression.inputs(), D = regression.outputs();
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

Vector DynamicsModel::sensor_noise() const {
  return noise ? noise->sensor : Vector(Vector::Zero(outputs()));
}

Vector DynamicsModel::process_noise() const {
  return noise ? noise->process : Vector(regression.noise_variance().cwiseSqrt());
}

DynamicsModel DynamicsModel::imagining(const std::vector<Trajectory>& expected) const {
  DynamicsModel surer = *this;
  for (const Trajectory& trajectory : expected) {
    const Matrix z = inputs(trajectory.observations, trajectory.actions);
    surer.regression.learn({z, regression.predict(z).mean});
    for (auto& fit : surer.possible) {
      Regression surer_fit = *fit;
      surer_fit.learn({z, fit->predict(z).mean});
      fit = std::make_shared<const Regression>(std::move(surer_fit));
    }
  }
  return surer;
}

DynamicsModel DynamicsModel::drawn(RandomStream& randomness) const {
  DynamicsModel drawn_one = *this;
  for (OutputGroup& group : drawn_one.regression.groups)
    group.posterior.weights = group.posterior.sample_weights(randomness);
  return drawn_one;
}

}  // namespace rhc
