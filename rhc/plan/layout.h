// What a plan's states and actions hold, where a model sees more than the last observation or where
// actions may change only so fast.
#pragma once

#include <algorithm>

#include "rhc/plan/planning_model.h"

namespace rhc {

// x_t = (o_t, ..., o_{t-k+1}, a_{t-1}, ..., a_{t-k+1}) and u_t = a_t. With `changes`, a_{t-1} is
// part of x_t in any case, and u_t = a_t - a_{t-1}: a limit of the rate is then a bound of u.
struct Layout {
  Index observed, acted;
  Index history = 1;
  bool changes = false;

  bool plain() const { return history == 1 && !changes; }
  Index first_action() const { return history * observed; }  // where a_{t-1} is in x_t
  Index actions_before() const { return std::max<Index>(history - 1, changes ? 1 : 0); }
  Index states() const { return first_action() + actions_before() * acted; }

  // After what was seen and done `before`. What the layout holds of earlier times was at rest, and
  // the observations as the first.
  Vector first_state(const Trajectory& before, const Vector& action_at_rest) const;

  double action(const Matrix& states, const Matrix& controls, Index i, Index t) const {
    return controls(i, t) + (changes ? states(first_action() + i, t) : 0);
  }
  Matrix actions(const Matrix& states, const Matrix& controls) const;

  // The model over these states; `model` is over observations and actions.
  PlanningModel lift(const PlanningModel& model) const;
};

Layout layout_of(const DynamicsShape& shape, bool changes);

}  // namespace rhc
