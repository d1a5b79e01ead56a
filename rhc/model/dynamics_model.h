// What is believed of a system's motion: a regression, and what its inputs and outputs mean.
#pragma once

#include <vector>

#include "rhc/model/bayesian_linear_model.h"
#include "rhc/system/spec.h"

namespace rhc {

// What a model of dynamics sees, and what it predicts: the change of the observations.
struct DynamicsShape {
  Index observed = 0, acted = 0;
  Index history = 1;                // observations and actions that a prediction is made from
  std::vector<AnglePair> angles{};  // that are kept on their circles
  Vector action_at_rest{};          // before an episode

  Index inputs() const { return history * (observed + acted); }
};

// Of a system's model. `stay_inside`: its angles are kept on their circles.
DynamicsShape shape_of(const SystemSpec& spec, bool stay_inside);

struct DynamicsModel {
  BayesianLinearModel regression;
  DynamicsShape shape;

  // InputError where the regression is not one of this shape.
  DynamicsModel(BayesianLinearModel fitted, DynamicsShape seen);

  Index outputs() const { return shape.observed; }
  Index parameters() const { return regression.weights.size(); }

  // z at every step that has an action. Before the first observation all was at rest.
  Matrix inputs(const Matrix& observations, const Matrix& actions) const;

  // Nats by which the entropy of all parameters falls when these observations are made.
  double information(const Matrix& observations, const Matrix& actions) const;

  // The model as it would be if its mean were seen along all of these: surer, but not wiser.
  DynamicsModel imagining(const std::vector<Trajectory>& expected) const;

  // One of the systems that are held possible, as a model that is as sure as this one.
  DynamicsModel drawn(RandomStream& randomness) const;
};

}  // namespace rhc
