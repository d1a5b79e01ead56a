#include "rhc/plan/layout.h"

namespace rhc {

Vector Layout::first_state(const Trajectory& before, const Vector& action_at_rest) const {
  Vector state(states());
  const Index last = before.steps();
  for (Index back = 0; back < history; ++back)
    state.segment(back * observed, observed) =
        before.observations.col(std::max<Index>(0, last - back));
  for (Index back = 0; back < actions_before(); ++back)
    state.segment(first_action() + back * acted, acted) =
        back < last ? Vector(before.actions.col(last - 1 - back)) : action_at_rest;
  return state;
}

Matrix Layout::actions(const Matrix& states, const Matrix& controls) const {
  if (!changes) return controls;
  return controls + states.middleRows(first_action(), acted).leftCols(controls.cols());
}

PlanningModel Layout::lift(const PlanningModel& model) const {
  if (plain()) return model;
  const Index seen = first_action(), kept = actions_before() * acted, nx = seen + kept,
              n = nx + acted;
  PlanningModel lifted = model;
  lifted.W = Matrix::Zero(model.features(), nx);
  lifted.W.leftCols(observed) = model.W;
  lifted.offset = Vector::Zero(nx);
  lifted.offset.head(observed) = model.offset;

  // What was seen or done is remembered one place further; an observation stays where it is, too.
  lifted.carry = Matrix::Zero(nx, n);
  lifted.carry.topLeftCorner(observed, observed).setIdentity();
  lifted.carry.block(observed, 0, seen - observed, seen - observed).setIdentity();
  if (kept > 0) {
    lifted.carry.block(seen + acted, seen, kept - acted, kept - acted).setIdentity();
    lifted.carry.block(seen, nx, acted, acted).setIdentity();
  }
  if (changes) {
    // a_t = a_{t-1} + u_t, for the features and for what is remembered.
    const Index inputs = model.inputs();
    const auto with_changes = [&](const Matrix& before) {
      const Index others = before.cols() - inputs;  // what a network's layers make of the inputs
      const Matrix now = before.rightCols(acted);
      Matrix after = Matrix::Zero(before.rows(), others + n);
      after.leftCols(others + inputs - acted) = before.leftCols(others + inputs - acted);
      after.middleCols(others + seen, acted) += now;
      after.rightCols(acted) = now;
      return after;
    };
    lifted.Q = with_changes(model.Q);
    if (!model.hidden.empty())
      lifted.hidden.front().weights = with_changes(model.hidden.front().weights);
    lifted.carry.block(seen, seen, acted, acted).setIdentity();
    lifted.action_before = seen;
  }
  return lifted;
}

Layout layout_of(const DynamicsShape& shape, bool changes) {
  return {.observed = shape.observed,
          .acted = shape.acted,
          .history = shape.history,
          .changes = changes};
}

}  // namespace rhc
