// What a plan must know of a model: how it moves in the mean, and how sure of it the model is.
#pragma once

#include <vector>

#include "rhc/model/dynamics_model.h"

namespace rhc {

// What a group of outputs does not know: of the sines `first` to `first + sines` and, where there
// are any, the affine features.
struct PlanningDoubt {
  Index first, sines;
  double outputs;         // in the group
  Matrix inverse_factor;  // L^-1, lower triangular: |L^-1 phi|^2 is the variance over the noise
};

// o' = project(o + offset + W' phi(z)), phi = sin(Q z + phase), z = (o, a), in the units of the
// observations; the last `affine` features are Q z + phase itself. The projection brings each
// angle's cosine and sine back to the circle. Where a plan must remember more than o, the states
// are more than that: x' = project(carry (x, u) + ...).
struct PlanningModel {
  Matrix Q;                           // M x n
  Vector phase;                       // M
  Matrix W;                           // M x nx
  Vector offset;                      // nx
  std::vector<PlanningDoubt> doubts;  // by group
  std::vector<AnglePair> angles;
  Index outputs = 0;  // that are predicted: D of the nx states
  Matrix carry{};     // nx x n; empty: every state stays where it is
  Index affine = 0;
  KnownMotion known{};       // added to the change of the outputs
  Index action_before = -1;  // where a_{t-1} is in x, where u is the change of the action
  SineLayers hidden{};       // of a network; Q is then by what comes out of them, and by z

  Index features() const { return Q.rows(); }
  Index sines() const { return Q.rows() - affine; }
  Index states() const { return W.cols(); }
  Index inputs() const { return hidden.empty() ? Q.cols() : hidden.front().weights.cols(); }
  Index actions() const { return inputs() - W.cols(); }
};

PlanningModel planning_model_of(const DynamicsModel& model);

// The same without doubts, which take most of the time.
PlanningModel mean_model_of(const DynamicsModel& model);

// Takes over the weights of a regression that went on learning, in place: `planned` was made of its
// model, and may have been lifted to a layout since.
void take_weights(const Regression& regression, PlanningModel& planned);

}  // namespace rhc
