// The half of a period that makes the next plan: learns, predicts, searches until the deadline.
#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/control/controller_parts.h"
#include "rhc/plan/replan.h"

namespace rhc {

namespace {

// Deviations from what was expected, beyond which a measurement contradicts the model.
constexpr double kSurprising = 3;

}  // namespace

// From the last transition, where both of its ends and all that the model sees of it were measured.
// At rest little varies but the noise of the sensors. What is learned from it for long flattens
// the model's slopes, and in the end the loop falls apart: so only what tells something counts.
void Controller::Parts::learn() {
  if (run < motion.layout.history + 1) return;
  at_step.states.col(0) = measured_before;
  at_step.actions.col(0) = control_before;
  motion.step(at_step);
  if (!at_step.next.allFinite()) return;
  if (last.surprise < kSurprising && !motion.tells(at_step, settings.least_doubt)) return;
  motion.learn(at_step, measured_now.head(motion.layout.observed), given_up);
  observer.give_up(given_up);
  last.learned = true;
}

bool Controller::Parts::adopt(const Rollout& rollout, Index plan_begin) {
  if (!rollout.states.allFinite()) return false;
  if (!feedback_gains(motion.dynamics, task, rollout, control_bounds, feedback)) return false;
  states = rollout.states;
  controls = rollout.actions;
  gains = feedback.policy.K;
  actions = controls;
  if (motion.layout.changes)
    actions +=
        states.middleRows(motion.layout.first_action(), actions.rows()).leftCols(actions.cols());
  begin = plan_begin;
  return true;
}

void Controller::Parts::prepare(const Deadline& deadline) {
  if (!started || last.step < 0) return;
  const double entered = deadline.now();
  iteration.forget();
  whole.forget();
  if (settings.learn && deadline.left() > whole.seconds) learn();
  if (!has_predicted) {
    observer.predict(sent.col(0), comes_to_rest);
    has_predicted = true;
  }
  const Index plan_begin = last.step + 1;
  last.has_regulator = stationary.regulated();
  if (!observer.finite() || deadline.left() <= whole.seconds) return;

  settle_reference(false);
  last.has_regulator = stationary.regulated();
  look_ahead(1);
  rest.states.col(0) = ahead;
  guess_rest(plan_begin);
  const bool goes_on = rest.states.allFinite();
  if (!goes_on) {
    // Not as its gains would have it.
    for (Index t = 0; t < horizon(); ++t)
      rest.actions.col(t) = controls.col(std::min(plan_begin - begin + t, horizon() - 1));
    follow(motion.dynamics, rest);
  }
  aim_tail(plan_begin);

  // Where the plan has come to be worth less than it was, such as after a push, the regulator may
  // lead to a better one.
  if (regulated_guess && !(task.evaluate(other) >= task.evaluate(rest))) std::swap(rest, other);
  shooting.begin(rest.states.col(0), rest.actions);
  if (shooting.status() == ShootingStatus::not_finite) return;
  const double old = shooting.cost(), outside = shooting.violation();
  if (held_at >= 0) shooting.go_on_from(held, plan_begin - held_at);

  const ShootingSettings how;
  const int most = std::min(settings.iterations, deadline.iterations);
  const double searching = deadline.now();
  double from = searching;
  while (shooting.iterations() < most && deadline.left() > iteration.seconds + whole.seconds) {
    const bool more = shooting.iterate(1, how);
    const double now = deadline.now();
    iteration.note(now - from);
    from = now;
    if (!more) break;
  }
  last.iterations = shooting.iterations();

  const bool usable = shooting.rollout().defect() <= how.defect_tolerance &&
                      shooting.violation() <= std::max(outside, how.bound_tolerance);
  const bool inside_again = outside > how.bound_tolerance && shooting.violation() < outside;
  const bool better =
      usable && (inside_again || old - shooting.cost() > kWorthLeaving * std::abs(old));
  if (adopt(better ? shooting.rollout() : rest, plan_begin)) {
    has_plan = last.planned = true;
    last.comes_to_rest = comes_to_rest;
    last.plan_left = better;
    last.plan_cost = better ? shooting.cost() : old;
    last.inside_limits = (better ? shooting.violation() : outside) <= how.bound_tolerance;
    if (better) {
      shooting.keep_held(held);
      held_at = plan_begin;
    }
  }
  whole.note((searching - entered) + (deadline.now() - from));
}

}  // namespace rhc
