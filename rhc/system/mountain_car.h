// A car in a valley, too weak to drive straight up, as in Gymnasium but without its speed limit.
#pragma once

#include "rhc/system/spec.h"

namespace rhc {

struct MountainCar {
  SystemSpec spec() const;
  Vector step(const Vector& state, const Vector& action) const;
  void step_to(const Vector& state, const Vector& action, Vector& next) const;
};

}  // namespace rhc
