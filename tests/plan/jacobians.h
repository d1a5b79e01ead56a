#pragma once

#include "rhc/plan/dynamics.h"

namespace rhc {

// The slopes of all steps by state and action, side by side.
inline Matrix jacobians(const Dynamics& dynamics, const Rollout& rollout) {
  Matrix F(dynamics.states(), (dynamics.states() + dynamics.actions()) * rollout.horizon());
  dynamics.linearize(rollout, F);
  return F;
}

}  // namespace rhc
