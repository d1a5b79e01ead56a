// The half of a period that gives an action: takes the measurement in, and chooses.
#include <limits>

#include "rhc/control/controller_parts.h"

namespace rhc {

bool Controller::Parts::blind() const {
  if (observer.in_a_row() == 0) return false;
  if (observer.in_a_row() > settings.most_blind) return true;
  for (Index i = 0; i < known_width.size(); ++i)
    if (!(observer.deviation(i) <= kLostShare * known_width[i])) return true;
  return false;
}

void Controller::Parts::note_measured(MeasuredAs measured, const Vector* measurement) {
  const Index D = motion.layout.observed, k = motion.layout.history;
  const Index before = motion.layout.actions_before(), first = motion.layout.first_action();
  measured_before = measured_now;
  control_before = sent.col(0);
  for (Index back = k - 1; back > 0; --back)
    measured_now.segment(back * D, D) = measured_before.segment((back - 1) * D, D);
  for (Index back = before - 1; back > 0; --back)
    measured_now.segment(first + back * action.size(), action.size()) =
        measured_before.segment(first + (back - 1) * action.size(), action.size());
  if (before > 0) measured_now.segment(first, action.size()) = sent_actions.col(0);
  const bool taken = measured == MeasuredAs::taken;
  if (taken) measured_now.head(D) = *measurement;
  run = taken ? run + 1 : 0;
  last.measured = measured;
  if (measured == MeasuredAs::lost)
    ++last.lost;
  else if (measured == MeasuredAs::absurd)
    ++last.rejected;
}

const Vector& Controller::Parts::act(const Vector* measured) {
  ++last.step;
  const Index D = motion.layout.observed;
  if (measured && measured->size() != D) measured = nullptr;
  MeasuredAs taken = MeasuredAs::taken;
  if (last.step == 0 && measured && measured->allFinite()) {
    // The system may have moved a little while the first plan was made.
    predicted = observer.state();
    predicted.head(D) = *measured;
    measured_now.head(D) = *measured;
    observer.start(predicted);
    run = 1;
    last.measured = taken;
  } else {
    if (last.step > 0 && !has_predicted) observer.predict(sent.col(0), comes_to_rest);
    last.expected = observer.expected();
    last.expected_deviation = observer.expected_deviation();
    taken = observer.measure(measured);
    if (last.step > 0)
      note_measured(taken, measured);
    else
      last.measured = taken;
  }
  has_predicted = false;
  if (last.step == 0) {
    last.expected = observer.expected();
    last.expected_deviation = observer.expected_deviation();
  }
  if (measured)
    last.measurement = *measured;
  else
    last.measurement.setConstant(std::numeric_limits<double>::quiet_NaN());
  last.innovation = observer.innovation();
  last.surprise = observer.surprise();
  last.in_a_row = observer.in_a_row();
  last.estimate = observer.state().head(D);
  for (Index i = 0; i < D; ++i) last.deviation[i] = observer.deviation(i);
  last.disturbance = motion.on_changes();
  last.action_disturbance = motion.on_actions();
  last.target = task.cost.target_at(last.step - task_begin);
  action_before = action;
  for (Index i = 0; i < settings.delay; ++i) {
    sent.col(i) = sent.col(i + 1);
    sent_actions.col(i) = sent_actions.col(i + 1);
  }
  look_ahead(0);
  choose();
  carry_out_control();
  note_sent();
  last.action = action;
  last.planned = last.plan_left = last.learned = false;
  last.iterations = 0;
  return last.action;
}

// From the best to the last resort.
void Controller::Parts::choose() {
  const Index i = last.step - begin, nx = states.rows();
  const Vector& state = ahead;
  last.plan_age = i;
  if (started && !blind()) {
    if (has_plan && i >= 0 && i < horizon()) {
      predicted = state - states.col(i);
      control = controls.col(i);
      control.noalias() += gains.middleCols(i * nx, nx) * predicted;
      last.source = i == 0 ? ActionSource::plan : ActionSource::last_plan;
      last.fall = i == 0 ? Fall::none : Fall::late;
      if (control.allFinite()) return;
    }
    if (stationary.regulated()) {
      stationary.control_at(state, control);
      last.source = ActionSource::regulator;
      last.fall = has_plan ? Fall::plan_ended : Fall::not_finite;
      if (has_plan && i < horizon()) last.fall = Fall::not_finite;
      if (control.allFinite()) return;
    }
    last.fall =
        has_plan && i >= horizon() && state.allFinite() ? Fall::plan_ended : Fall::not_finite;
  } else {
    last.fall = started ? Fall::blind : Fall::not_finite;
  }
  last.source = ActionSource::rest;
  control = rest_action;
  if (motion.layout.changes) control -= action_before;
}

// Inside the bounds of actions and their changes, whatever was chosen.
void Controller::Parts::carry_out_control() {
  control = control.cwiseMax(control_bounds.lower).cwiseMin(control_bounds.upper);
  action = control;
  if (motion.layout.changes) action += action_before;
  action = action.cwiseMax(spec.action_bounds.lower).cwiseMin(spec.action_bounds.upper);
  if (motion.layout.changes)
    control = action - action_before;
  else
    control = action;
}

void Controller::Parts::note_sent() {
  sent.col(settings.delay) = control;
  sent_actions.col(settings.delay) = action;
}

// From the present estimate, by what was sent and has not acted yet.
void Controller::Parts::look_ahead(Index first_sent) {
  ahead = observer.state();
  for (Index i = 0; i < settings.delay; ++i) {
    at_step.states.col(0) = ahead;
    at_step.actions.col(0) = sent.col(first_sent + i);
    motion.step(at_step);
    ahead = at_step.next.col(0);
  }
}

}  // namespace rhc
