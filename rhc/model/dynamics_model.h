// What is believed of a system's motion: a regression, and what its inputs and outputs mean.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "rhc/model/noise_split.h"
#include "rhc/model/regression.h"
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

// How far possible systems are followed beyond what is known, around all that was seen and the
// region of interest: as far again to either side. And back.
Box reach_around(const Box& known);
Box known_region(const Box& reach);

struct DynamicsModel {
  Regression regression;
  DynamicsShape shape;
  // Behind forecasts: fits that explain the data about as well, in many more features. Few features
  // that follow many data are sure of everything, also of what nobody looked at. None: the
  // regression alone.
  std::vector<std::shared_ptr<const Regression>> possible{};
  std::optional<NoiseSplit> noise{};  // nothing: not told apart, all of it moves the system
  Box reach{};                        // where possible systems are followed; empty: anywhere
  Vector band_scale{};                // of forecasts, by what earlier ones were off; empty: 1
  // Weights of the regression that whole trajectories leave possible, by draw and group; empty:
  // those that its posterior does.
  std::vector<std::vector<Matrix>> weight_draws{};

  // InputError where the regression is not one of this shape.
  DynamicsModel(Regression fitted, DynamicsShape seen);

  Index outputs() const { return shape.observed; }

  // Deviations of the noise that is measured with, and of that which moves the system.
  Vector sensor_noise() const;
  Vector process_noise() const;

  // The variance of each predicted change that is owed to the weights: by draws of whole
  // trajectories where there are some.
  Vector doubt(const Vector& input) const;

  // z at every step that has an action. Before the first observation all was at rest.
  Matrix inputs(const Matrix& observations, const Matrix& actions) const;

  // Nats by which the entropy of all parameters falls when these observations are made.
  double information(const Matrix& observations, const Matrix& actions) const;
  // The same after what was seen `before`, whose last observation is the first of these.
  double information(const Trajectory& before, const Matrix& observations,
                     const Matrix& actions) const;

  // The model as it would be if its mean were seen along all of these: surer, but not wiser.
  DynamicsModel imagining(const std::vector<Trajectory>& expected) const;

  // One of the systems that are held possible, as a model that is as sure as this one.
  DynamicsModel drawn(RandomStream& randomness) const;

  // The system with these weights, by group, as a model that is as sure as this one.
  DynamicsModel moving_with(const std::vector<Matrix>& weights) const;

  // The weights of so many of them, by draw and group. Two in turn err to either side of the mean.
  std::vector<std::vector<Matrix>> drawn_weights(int count, std::uint64_t seed) const;
};

}  // namespace rhc
