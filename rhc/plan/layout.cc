#include "rhc/plan/layout.h"

namespace rhc {

Vector Layout::first_state(const Vector& observation, const Vector& action_before) const {
  Vector state(states());
  state.head(history * observed) = observation.replicate(history, 1);
  if (changes) state.tail(acted) = action_before;
  return state;
}

Matrix Layout::actions(const Matrix& states, const Matrix& controls) const {
  if (!changes) return controls;
  return controls + states.bottomRows(acted).leftCols(controls.cols());
}

Belief Layout::lift(const Belief& belief) const {
  if (plain()) return belief;
  const Index seen = history * observed, nx = states(), n = nx + acted;
  Belief lifted = belief;
  lifted.W = Matrix::Zero(belief.features(), nx);
  lifted.W.leftCols(observed) = belief.W;
  lifted.offset = Vector::Zero(nx);
  lifted.offset.head(observed) = belief.offset;

  // An observation stays where it is and is remembered one place further.
  lifted.carry = Matrix::Zero(nx, n);
  lifted.carry.topLeftCorner(observed, observed).setIdentity();
  lifted.carry.block(observed, 0, seen - observed, seen - observed).setIdentity();
  if (changes) {
    // a_t = a_{t-1} + u_t, for the features and for what is remembered.
    lifted.Q.resize(belief.features(), n);
    lifted.Q << belief.Q, belief.Q.rightCols(acted);
    lifted.carry.block(seen, seen, acted, acted).setIdentity();
    lifted.carry.bottomRightCorner(acted, acted).setIdentity();
  }
  return lifted;
}

}  // namespace rhc
