// What plans are aimed at: the equilibria of a task's targets, and the cost of what follows a plan.
#include <algorithm>

#include "rhc/control/controller_parts.h"

namespace rhc {

namespace {

// Steps of the Riccati equation at the start, and in a period while the model changes.
constexpr int kRiccatiSteps = 2000, kRiccatiStepsInAPeriod = 5;

}  // namespace

// The equilibria of the targets that the plan's steps have; one that is found is where the search
// for the next one begins.
void Controller::Parts::settle_reference(bool anew) {
  const Index T = horizon(), now = reference_step(last.step + 1);
  const TaskCost& cost = task.cost;
  if (anew) {
    settled_at = now;
    predicted = observer.state();
    stationary.settle(cost, cost.target_at(now), predicted);
    for (Index t = 0; t < T; ++t) {
      if (t > 0 && cost.target_at(now + t) != cost.target_at(now + t - 1))
        stationary.settle(cost, cost.target_at(now + t), predicted);
      if (stationary.settled())
        task.settled.col(t) = stationary.action();
      else if (t > 0)
        task.settled.col(t) = task.settled.col(t - 1);
      else
        task.settled.col(t).setZero();
    }
    if (cost.target_at(now + T) != cost.target_at(now + T - 1))
      stationary.settle(cost, cost.target_at(now + T), predicted);
    if (stationary.settled()) motion.rests_at(stationary.state());
    stationary.regulate(cost, kRiccatiSteps, true);
    return;
  }
  // Steps on: the others move by as much as the last one does under the new disturbance.
  const Index later = std::clamp<Index>(now - settled_at, 0, T);
  settled_at = now;
  for (Index t = 0; t < T; ++t) task.settled.col(t) = task.settled.col(std::min(t + later, T - 1));
  if (stationary.settled()) {
    settled_before = stationary.action();
    if (stationary.follow(cost, cost.target_at(now + T - later))) {
      settled_before = stationary.action() - settled_before;
      task.settled.colwise() += settled_before;
    }
    for (Index t = T - later; t < T && stationary.settled(); ++t) {
      if (cost.target_at(now + t) != cost.target_at(now + t - 1))
        stationary.follow(cost, cost.target_at(now + t));
      task.settled.col(t) = stationary.action();
    }
    if (cost.target_at(now + T) != cost.target_at(now + T - 1))
      stationary.follow(cost, cost.target_at(now + T));
  }
  if (!stationary.settled()) {
    predicted = observer.state();
    stationary.settle(cost, cost.target_at(now + T), predicted);
  }
  if (stationary.settled()) motion.rests_at(stationary.state());
  stationary.regulate(cost, kRiccatiStepsInAPeriod, false);
}

// With the cost of all that follows, where the target has come to rest by the plan's end.
void Controller::Parts::aim_tail(Index plan_begin) {
  const Index end = reference_step(plan_begin) + horizon();
  task.now = reference_step(plan_begin);
  task.has_tail = false;
  regulated_guess = false;
  comes_to_rest = stationary.holds_from(rest.states.col(horizon()));
  if (!comes_to_rest && stationary.regulated()) {
    // A plan without its tail lets go towards its end: what counts is where the regulator leads to.
    guess_regulated();
    regulated_guess = other.states.allFinite();
    comes_to_rest = stationary.reached(other);
  }
  if (settings.tail == TailCost::never || !stationary.regulated()) return;
  if (task.cost.reference.size() > 0 && end + 1 < task.cost.reference.cols()) return;
  if (settings.tail == TailCost::near_target && !comes_to_rest) return;
  task.has_tail = true;
  task.tail = stationary.tail();
  task.tail_state = stationary.state();
}

void Controller::Parts::aim(const TaskCost& wanted) {
  SystemSpec other_spec = spec;
  other_spec.task = wanted;
  check(other_spec);
  spec.task = wanted;
  task.cost = wanted;
  task_begin = last.step + 1;
  if (started) settle_reference(true);
}

}  // namespace rhc
