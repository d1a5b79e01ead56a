// Small random models, and rollouts through them, for all tests of plans.
#pragma once

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "rhc/core/random.h"
#include "rhc/plan/dynamics.h"
#include "rhc/plan/objective.h"
#include "rhc/plan/planning_model.h"

namespace rhc {

// A model that has seen a few random transitions, about a tenth of a unit each.
inline BayesianLinearModel random_model(Index features, Index states, Index actions,
                                        std::uint64_t seed) {
  RandomStream r(seed, "random model");
  Hyperparameters h{Vector(states + actions), std::exp(r.uniform(-2, 1)), Vector(states)};
  for (double& v : h.bandwidth) v = r.uniform(0.8, 2.5);
  for (double& v : h.noise) v = std::exp(r.uniform(-3, 0));
  Standardization standardization{Vector(states), Vector(states)};
  for (double& v : standardization.mean) v = r.uniform(-0.02, 0.02);
  for (double& v : standardization.scale) v = r.uniform(0.05, 0.15);
  BayesianLinearModel model(draw_features(features, states + actions, RandomStream(seed, "draw")),
                            h, standardization);
  Transitions data{Matrix(states + actions, 20), Matrix(states, 20)};
  for (double& v : data.inputs.reshaped()) v = r.uniform(-1.5, 1.5);
  for (double& v : data.outputs.reshaped()) v = 0.1 * r.normal();
  model.learn(data);
  return model;
}

// The same with a posterior for each output, of different sizes and with an affine part.
inline Regression random_separate_model(Index features, Index states, Index actions,
                                        std::uint64_t seed) {
  const Index n = states + actions;
  RandomStream r(seed, "random separate model");
  const Vector centre = 0.2 * r.normals(n);
  Vector scale(n);
  for (double& v : scale) v = r.uniform(0.5, 2);
  std::vector<OutputGroup> groups;
  for (Index j = 0; j < states; ++j) {
    FourierFeatures draw = draw_features(features / 2 + j, n,
                                         RandomStream(seed, "draw", static_cast<std::uint64_t>(j)));
    draw.centre = centre;
    draw.scale = scale;
    Hyperparameters h{Vector(n), std::exp(r.uniform(-2, 1)), Vector::Constant(1, r.uniform(0.1, 1)),
                      std::exp(r.uniform(-2, 1))};
    for (double& v : h.bandwidth) v = r.uniform(0.8, 2.5);
    groups.push_back({{j},
                      {draw,
                       h,
                       {Vector::Constant(1, r.uniform(-0.02, 0.02)),
                        Vector::Constant(1, r.uniform(0.05, 0.15))}}});
  }
  Regression model(std::move(groups));
  Transitions data{Matrix(n, 20), Matrix(states, 20)};
  for (double& v : data.inputs.reshaped()) v = r.uniform(-1.5, 1.5);
  for (double& v : data.outputs.reshaped()) v = 0.1 * r.normal();
  model.learn(data);
  return model;
}

// The same with the features of a network of three layers, and an affine part for every other seed.
inline BayesianLinearModel random_network_model(Index features, Index states, Index actions,
                                                std::uint64_t seed) {
  const BayesianLinearModel plain = random_model(features, states, actions, seed);
  RandomStream r(seed, "random network");
  FourierFeatures network = plain.features;
  const auto layer = [&](Index width, Index inputs) {
    SineLayer drawn{Matrix(width, inputs), 2 * r.normals(width)};
    for (double& v : drawn.weights.reshaped())
      v = r.normal() / std::sqrt(static_cast<double>(inputs));
    return drawn;
  };
  network.hidden = {layer(7, states + actions), layer(6, 7)};
  network.P = layer(features, 6).weights;
  Hyperparameters h = plain.hyperparameters();
  if (seed % 2 == 0) {
    network.centre = 0.2 * r.normals(states + actions);
    network.scale = Vector::Constant(states + actions, 0.7);
    h.affine_precision = 2;
  }
  BayesianLinearModel model(network, h, plain.outputs);
  Transitions data{Matrix(states + actions, 20), Matrix(states, 20)};
  for (double& v : data.inputs.reshaped()) v = r.uniform(-1.5, 1.5);
  for (double& v : data.outputs.reshaped()) v = 0.1 * r.normal();
  model.learn(data);
  return model;
}

// What it hands to a planner.
inline PlanningModel planned(const Regression& model, const std::vector<AnglePair>& angles = {}) {
  const Index states = model.outputs(), actions = model.inputs() - states;
  return planning_model_of({model,
                            {.observed = states,
                             .acted = actions,
                             .angles = angles,
                             .action_at_rest = Vector::Zero(actions)}});
}

inline PlanningModel random_planning_model(Index features, Index states, Index actions,
                                           std::uint64_t seed,
                                           const std::vector<AnglePair>& angles = {}) {
  return planned(random_model(features, states, actions, seed), angles);
}

// All features of states and actions as they are, gaps and all.
inline void step_everywhere(const Dynamics& dynamics, Rollout& rollout) {
  for (Index t = 0; t < rollout.horizon(); ++t) dynamics.step(rollout, t);
}

// States and actions anywhere, with gaps; angles not far from their circle.
inline Rollout random_rollout(const Dynamics& dynamics, Index horizon, std::uint64_t seed,
                              const std::vector<AnglePair>& angles = {}) {
  RandomStream r(seed, "random rollout");
  Rollout rollout(dynamics.states(), dynamics.actions(), dynamics.features(), horizon);
  for (double& v : rollout.states.reshaped()) v = r.uniform(-1.5, 1.5);
  for (double& v : rollout.actions.reshaped()) v = r.uniform(-1, 1);
  for (const AnglePair& pair : angles)
    for (Index t = 0; t <= horizon; ++t) {
      const double angle = r.uniform(-std::numbers::pi, std::numbers::pi);
      const double radius = r.uniform(0.7, 1.4);
      rollout.states(pair.cosine, t) = radius * std::cos(angle);
      rollout.states(pair.sine, t) = radius * std::sin(angle);
    }
  step_everywhere(dynamics, rollout);
  return rollout;
}

// Entry i of z_t = (state, action).
inline double& input(Rollout& rollout, Index i, Index t) {
  const Index nx = rollout.states.rows();
  return i < nx ? rollout.states(i, t) : rollout.actions(i - nx, t);
}

// What `expand` and the dynamics say the objective's derivatives by all inputs are.
inline lq::Problem expansion_of(const Dynamics& dynamics, Objective& objective,
                                const Rollout& rollout) {
  lq::Problem stages(dynamics.states(), dynamics.actions(), rollout.horizon());
  Matrix feature_slope = Matrix::Zero(dynamics.features(), rollout.horizon());
  Expansion expansion{stages, feature_slope};
  objective.evaluate(rollout);
  objective.expand(rollout, expansion);
  dynamics.add_slope(rollout, feature_slope, stages.g);
  return stages;
}

// The derivative of the objective by input i of step t, by central differences.
inline double difference(const Dynamics& dynamics, Objective& objective, const Rollout& rollout,
                         Index i, Index t, double h = 1e-6) {
  Rollout up = rollout, down = rollout;
  input(up, i, t) += h;
  input(down, i, t) -= h;
  step_everywhere(dynamics, up);
  step_everywhere(dynamics, down);
  return (objective.evaluate(up) - objective.evaluate(down)) / (2 * h);
}

}  // namespace rhc
