// All numbers of a controller that follows one plan without planning anew: what a microcontroller
// needs to know.
#pragma once

#include <string>
#include <vector>

#include "rhc/plan/control_model.h"
#include "rhc/run/solve_run.h"

namespace rhc {

// The sines of one posterior: sin(frequency z + phase), whose weights lead to these outputs.
struct ControllerSines {
  std::vector<Index> outputs;
  Matrix frequency;  // M x inputs
  Vector phase;
  Matrix weight;  // M x outputs
};

// The motion in one step: what is observed changes by offset + linear z + weighted sines + what is
// known of it, and then comes back to the circles of the angles. z is an input of the model.
struct ControllerMotion {
  Vector offset;
  Matrix linear;  // D x inputs; empty: none
  std::vector<ControllerSines> sines;
  std::vector<Derivative> known;
  std::vector<AnglePair> circles;
};

struct ControllerTables {
  Layout layout;
  ControllerMotion motion;

  // Along the plan, over the states and controls of the layout (layout.h).
  Matrix states;    // nx x (T + 1)
  Matrix controls;  // nu x T
  Matrix gains;     // nu x (nx T)
  Box control_bounds;
  Matrix spread;  // D x (T + 1): by which a step of the plan spreads the observations, a variance

  // Where the system is held when the plan has ended.
  Vector hold_state, hold_control;
  Matrix hold_gain;

  Vector sensor_variance;
  bool still_before;  // all was at rest before the plan
};

// InputError where the model is of a kind that has no such numbers: a network's features, or a
// nominal model.
ControllerTables controller_tables(const Solution& solution);

}  // namespace rhc
