// All numbers of a controller (rhc/control) that follows one plan without planning anew: what a
// microcontroller needs to know.
#pragma once

#include <string>
#include <vector>

#include "rhc/control/controller.h"
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
  ControlTables plan;
  ControllerMotion motion;
  Vector sensor_variance;
  // D x (T + 1): by which a step of the plan, or one after it, spreads the observations: noise, and
  // what the model does not know there. It is taken along the plan, for a microcontroller has no
  // room for the model's doubt everywhere.
  Matrix spread;
  bool still_before;  // all was at rest before the plan
};

// InputError where the model is of a kind that has no such numbers: a network's features, or a
// nominal model.
ControllerTables controller_tables(const Solution& solution);

}  // namespace rhc
