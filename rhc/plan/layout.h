// What a plan's states and actions hold, where a model sees more than the last observation or where
// actions may change only so fast.
#pragma once

#include "rhc/plan/belief.h"

namespace rhc {

// x_t = (o_t, ..., o_{t-k+1}) and u_t = a_t. With `changes`, x_t ends with a_{t-1}, and
// u_t = a_t - a_{t-1}: a limit of the rate is then a bound of u.
struct Layout {
  Index observed, acted;
  Index history = 1;
  bool changes = false;

  bool plain() const { return history == 1 && !changes; }
  Index states() const { return history * observed + (changes ? acted : 0); }

  // Of all that was still until now.
  Vector first_state(const Vector& observation, const Vector& action_before) const;

  double action(const Matrix& states, const Matrix& controls, Index i, Index t) const {
    return controls(i, t) + (changes ? states(history * observed + i, t) : 0);
  }
  Matrix actions(const Matrix& states, const Matrix& controls) const;

  // The belief over these states; `belief` is over observations and actions.
  Belief lift(const Belief& belief) const;
};

}  // namespace rhc
