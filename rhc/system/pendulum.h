// A torque-limited pendulum, as in the DeepMind Control Suite: semi-implicit Euler, implicit
// damping.
#pragma once

#include "rhc/system/spec.h"

namespace rhc {

struct Pendulum {
  double substep = 0.02;  // s
  int substeps = 4;       // a step is 80 ms, as in the paper

  SystemSpec spec() const;
  Vector step(const Vector& state, const Vector& action) const;
  void step_to(const Vector& state, const Vector& action, Vector& next) const;
  Vector observe(const Vector& state) const;
  void observe_to(const Vector& state, Vector& seen) const;
};

}  // namespace rhc
