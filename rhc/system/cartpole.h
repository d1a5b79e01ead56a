// A pole on a cart with a rail of finite length, as in the DeepMind Control Suite: RK4 and MuJoCo's
// soft limit at the rail's ends.
#pragma once

#include "rhc/system/spec.h"

namespace rhc {

struct Cartpole {
  double substep = 0.01;  // s
  int substeps = 2;       // a step is 20 ms, as in the paper

  SystemSpec spec() const;
  Vector step(const Vector& state, const Vector& action) const;
  void step_to(const Vector& state, const Vector& action, Vector& next) const;
  Vector observe(const Vector& state) const;
  void observe_to(const Vector& state, Vector& seen) const;
};

}  // namespace rhc
