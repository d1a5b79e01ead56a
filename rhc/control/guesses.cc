// Where a search begins: the rest of the last plan, and where the regulator leads to.
#include "rhc/control/controller_parts.h"

namespace rhc {

// The rest of the plan as its gains correct it, if the model is right from here on; beyond its end
// the regulator, or the last action.
void Controller::Parts::guess_rest(Index plan_begin) {
  const Index from = plan_begin - begin, nx = states.rows(), T = horizon();
  for (Index t = 0; t < T; ++t) {
    const Index i = from + t;
    auto u = rest.actions.col(t);
    if (has_plan && i < T) {
      predicted = rest.states.col(t) - states.col(i);
      u = controls.col(i);
      u.noalias() += gains.middleCols(i * nx, nx).lazyProduct(predicted);
    } else if (task.has_tail && stationary.regulated()) {
      stationary.control_at(rest.states.col(t), u);
    } else if (motion.layout.changes) {
      u.setZero();
    } else if (t > 0) {
      u = rest.actions.col(t - 1);
    } else {
      u = control;
    }
    u = u.cwiseMax(control_bounds.lower).cwiseMin(control_bounds.upper);
    motion.dynamics.step(rest, t);
    rest.states.col(t + 1) = rest.next.col(t);
  }
}

void Controller::Parts::guess_regulated() {
  other.states.col(0) = rest.states.col(0);
  for (Index t = 0; t < horizon(); ++t) {
    stationary.control_at(other.states.col(t), other.actions.col(t));
    motion.dynamics.step(other, t);
    other.states.col(t + 1) = other.next.col(t);
  }
}

}  // namespace rhc
