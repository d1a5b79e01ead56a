#include "rhc/model/dynamics_model.h"

#include <fmt/format.h>

#include <cmath>
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

Box reach_around(const Box& known) {
  const Vector room = known.width();
  return {known.lower - room, known.upper + room};
}

Box known_region(const Box& reach) {
  const Vector room = reach.width() / 3;
  return {reach.lower + room, reach.upper - room};
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

double DynamicsModel::information(const Trajectory& before, const Matrix& observations,
                                  const Matrix& actions) const {
  const Index past = before.steps();
  Matrix seen(observations.rows(), past + observations.cols()),
      done(actions.rows(), past + actions.cols());
  seen.leftCols(past) = before.observations.leftCols(past);
  seen.rightCols(observations.cols()) = observations;
  done.leftCols(past) = before.actions;
  done.rightCols(actions.cols()) = actions;
  return rhc::information(regression, inputs(seen, done).rightCols(actions.cols()));
}

Vector DynamicsModel::sensor_noise() const {
  return noise ? noise->sensor : Vector(Vector::Zero(outputs()));
}

Vector DynamicsModel::process_noise() const {
  return noise ? noise->process : Vector(regression.noise_variance().cwiseSqrt());
}

Vector DynamicsModel::doubt(const Vector& input) const {
  if (weight_draws.empty()) {
    RegressionWorkspace workspace;
    Matrix mean, leverage;
    regression.predict(input, false, workspace, mean, leverage);
    return regression.noise_variance().cwiseProduct(leverage.col(0));
  }
  Vector sum = Vector::Zero(outputs());
  for (std::size_t g = 0; g < regression.groups.size(); ++g) {
    const auto& [members, posterior] = regression.groups[g];
    Matrix phi;
    posterior.features.evaluate(input, phi);
    for (const auto& draw : weight_draws) {
      const Vector off = posterior.outputs.scale.cwiseProduct(
          ((draw[g] - posterior.weights).transpose() * phi).col(0));
      for (std::size_t k = 0; k < members.size(); ++k)
        sum[members[k]] += std::pow(off[static_cast<Index>(k)], 2);
    }
  }
  return sum / static_cast<double>(weight_draws.size());
}

DynamicsModel DynamicsModel::imagining(const std::vector<Trajectory>& expected) const {
  DynamicsModel surer = *this;
  for (const Trajectory& trajectory : expected) {
    const Matrix z = inputs(trajectory.observations, trajectory.actions);
    surer.regression.learn({z, regression.predict(z).mean});
    // Its weights may be others than those that follow from what the regression learned.
    for (std::size_t g = 0; g < regression.groups.size(); ++g)
      surer.regression.groups[g].posterior.weights = regression.groups[g].posterior.weights;
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

DynamicsModel DynamicsModel::moving_with(const std::vector<Matrix>& weights) const {
  DynamicsModel other = *this;
  for (std::size_t g = 0; g < weights.size(); ++g)
    other.regression.groups[g].posterior.weights = weights[g];
  return other;
}

std::vector<std::vector<Matrix>> DynamicsModel::drawn_weights(int count, std::uint64_t seed) const {
  std::vector<std::vector<Matrix>> draws;
  for (int i = 0; i < count; ++i) {
    if (!weight_draws.empty()) {
      draws.push_back(weight_draws[static_cast<std::size_t>(i) % weight_draws.size()]);
      continue;
    }
    RandomStream randomness(seed, "drawn weights", static_cast<std::uint64_t>(i / 2));
    std::vector<Matrix> weights;
    for (const auto& [outputs, posterior] : regression.groups) {
      const Matrix drawn = posterior.sample_weights(randomness);
      weights.push_back(i % 2 == 0 ? drawn : Matrix(2 * posterior.weights - drawn));
    }
    draws.push_back(std::move(weights));
  }
  return draws;
}

}  // namespace rhc
