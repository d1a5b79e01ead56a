#include "rhc/control/controller.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "rhc/control/control_task.h"
#include "rhc/control/learned_motion.h"
#include "rhc/control/observer.h"
#include "rhc/control/stationary.h"
#include "rhc/core/error.h"
#include "rhc/plan/feedback.h"
#include "rhc/plan/plan_with_model.h"
#include "rhc/plan/replan.h"

namespace rhc {

namespace {

// Of the longest time that something took: one slow period, by whatever else runs on the machine,
// does not keep the planner from working for ever.
constexpr double kForget = 0.98;
// Steps of the Riccati equation at the start, and in a period while the model changes.
constexpr int kRiccatiSteps = 2000, kRiccatiStepsInAPeriod = 5;
// Of what is known of an observation's range: who is less sure than that does not know where the
// system is.
constexpr double kLostShare = 0.25;

void check_matching(const DynamicsModel& model, const SystemSpec& spec) {
  check(spec);
  if (model.shape.observed != spec.outputs() ||
      model.shape.acted != static_cast<Index>(spec.action.size()))
    throw InputError("the model is not one of the system '" + spec.name + "'");
}

}  // namespace

struct Controller::Parts {
  struct Longest {
    double seconds = 0;
    void forget() { seconds *= kForget; }
    void note(double took) { seconds = std::max(seconds, took); }
  };

  Parts(const DynamicsModel& learned, const SystemSpec& system, ControlSettings wanted);

  struct Longest {
    double seconds = 0;
    void forget() { seconds *= kForget; }
    void note(double took) { seconds = std::max(seconds, took); }
  };

  void start(const Trajectory& before, const Matrix& actions);
  const Vector& act(const Vector* measured);
  void prepare(const Deadline& deadline);
  void aim(const TaskCost& task);

  Index horizon() const { return shooting.rollout().horizon(); }
  Index reference_step(Index act) const { return act - task_begin; }
  void note_measured(MeasuredAs measured, const Vector* measurement);
  bool blind() const;
  void choose();
  void carry_out_control();
  void learn();
  void aim_tail(Index plan_begin);
  void settle_reference(bool anew);
  void guess_rest(Index begin);
  void guess_regulated();
  bool adopt(const Rollout& rollout, Index begin);
  Matrix first_controls(const Matrix& actions);

  const DynamicsModel model;
  SystemSpec spec;
  const ControlSettings settings;
  LearnedMotion motion;
  Observer observer;
  const Box control_bounds, state_bounds;
  Stationary stationary;
  ControlTask task;
  Shooting shooting;
  FeedbackWorkspace feedback;
  Rollout rest, other;  // guesses of a plan
  HeldBounds held;
  Index held_at = -1;

  Matrix states, controls, gains, actions;  // of the plan
  Index begin = 0;
  bool has_plan = false;

  Vector rest_action, most_change, known_width;
  Vector control, action, action_before, predicted;
  Vector measured_now, measured_before, control_before, given_up;  // of a transition
  Index run = 0;                                                   // measurements without a break
  Rollout at_step;
  Index task_begin = 0;  // the act at which the reference begins
  Index settled_at = 0;  // step of the reference at which `task.settled` begins
  Vector settled_before;
  bool regulated_guess = false;  // `other` is where the regulator leads to
  bool started = false, has_predicted = false, comes_to_rest = false;
  Longest iteration, whole;  // and the rest of `prepare`
  ControlStep last;
};

Controller::Parts::Parts(const DynamicsModel& learned, const SystemSpec& system,
                         ControlSettings wanted)
    : model(learned),
      spec((check_matching(learned, system), system)),
      settings(wanted),
      motion(model, spec, wanted.horizon > 0 ? wanted.horizon : spec.horizon, wanted.remove_offset),
      observer(motion, 0.5 * spec.action_bounds.width(),
               {wanted.disturbance_steps, wanted.gate, wanted.believe_after}),
      control_bounds(bounds_of_controls(motion.layout, spec)),
      state_bounds(bounds_of_states(motion.layout, spec, task_limits(spec, wanted.stay_inside))),
      stationary(motion, spec, control_bounds),
      task(spec.task, motion.layout, wanted.horizon > 0 ? wanted.horizon : spec.horizon),
      shooting(motion.dynamics, task, control_bounds, state_bounds, task.settled.cols()),
      feedback(motion.dynamics, task.settled.cols()),
      rest(shooting.rollout()),
      other(rest),
      held(shooting.held()),
      states(Matrix::Zero(rest.states.rows(), rest.states.cols())),
      controls(Matrix::Zero(rest.actions.rows(), rest.actions.cols())),
      gains(Matrix::Zero(controls.rows(), states.rows() * controls.cols())),
      actions(controls),
      rest_action(spec.action_bounds.clip(action_at_rest(spec))),
      control(Vector::Zero(controls.rows())),
      action(rest_action),
      action_before(rest_action),
      predicted(states.rows()),
      measured_now(Vector::Zero(states.rows())),
      measured_before(measured_now),
      control_before(control),
      given_up(spec.outputs()),
      at_step(motion.one_step()),
      settled_before(controls.rows()) {
  const Vector range = spec.action_bounds.upper - spec.action_bounds.lower;
  most_change = spec.safety.rate.size() > 0 ? bounds_of_changes(spec).upper : range;
  if (model.reach.size() > 0) known_width = known_region(model.reach).width().head(spec.outputs());
  const Index D = spec.outputs();
  for (Vector* one : {&last.measurement, &last.expected, &last.expected_deviation, &last.innovation,
                      &last.estimate, &last.deviation, &last.disturbance, &last.target})
    one->setZero(D);
  last.action_disturbance.setZero(action.size());
  last.action = action;
}

// Controls of as many steps as a plan has, from actions that need not be possible.
Matrix Controller::Parts::first_controls(const Matrix& wanted) {
  Matrix whole_plan(wanted.rows(), horizon());
  for (Index t = 0; t < horizon(); ++t)
    whole_plan.col(t) = spec.action_bounds.clip(wanted.col(std::min(t, wanted.cols() - 1)));
  whole_plan = with_limited_rate(spec, whole_plan, action);
  return motion.layout.changes ? changes_of(whole_plan, action) : whole_plan;
}

void Controller::Parts::start(const Trajectory& before, const Matrix& first) {
  const Index D = spec.outputs();
  if (before.observations.rows() != D || before.observations.cols() < 1 ||
      before.actions.rows() != action.size() ||
      before.observations.cols() != before.actions.cols() + 1 || !before.observations.allFinite() ||
      !before.actions.allFinite())
    throw InputError("a controller starts with a finite measurement of every observation");
  if (first.size() > 0 && (first.rows() != action.size() || !first.allFinite()))
    throw InputError("a first plan has finite numbers for every action");

  action = action_before = last_action(before, rest_action);
  measured_now = motion.layout.first_state(before, rest_action);
  measured_before = measured_now;
  observer.start(measured_now);
  run = 0;
  task_begin = 0;
  held_at = -1;
  has_plan = has_predicted = false;
  iteration = whole = {};
  last.step = -1;
  last.lost = last.rejected = 0;
  last.in_a_row = 0;
  settle_reference(true);

  const Vector state = observer.state();
  task.now = 0;
  task.has_tail = false;
  PlanProblem problem{
      .dynamics = [this] { return std::make_unique<MeanDynamics>(motion.planned, horizon()); },
      .objective = [this] { return std::make_unique<ControlTask>(task); },
      .first_state = state,
      .action_bounds = control_bounds,
      .state_bounds = state_bounds,
      .horizon = horizon()};
  Matrix found;
  if (first.size() > 0) {
    found = first_controls(first);
  } else {
    const PlannerSettings search{.starts = settings.starts, .seed = settings.seed};
    if (motion.layout.changes)
      problem.start_actions = [&](int i) {
        return first_controls(start_signal(spec.action_bounds, horizon(), search, i));
      };
    std::vector<Matrix> suggestions;
    rest.states.colwise() = state;
    aim_tail(0);
    if (regulated_guess) suggestions.push_back(other.actions);
    found = plan(problem, search, suggestions).actions;
  }
  rest.states.col(0) = state;
  rest.actions = found;
  follow(motion.dynamics, rest);
  aim_tail(0);
  has_plan = adopt(rest, 0);
  started = true;
}

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
  control_before = control;
  for (Index back = k - 1; back > 0; --back)
    measured_now.segment(back * D, D) = measured_before.segment((back - 1) * D, D);
  for (Index back = before - 1; back > 0; --back)
    measured_now.segment(first + back * action.size(), action.size()) =
        measured_before.segment(first + (back - 1) * action.size(), action.size());
  if (before > 0) measured_now.segment(first, action.size()) = action;
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
    if (last.step > 0 && !has_predicted) observer.predict(control, comes_to_rest);
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
  last.target = task.cost.target_at(reference_step(last.step));
  action_before = action;
  choose();
  carry_out_control();
  last.action = action;
  last.planned = last.plan_left = last.learned = false;
  last.iterations = 0;
  return last.action;
}

// From the best to the last resort.
void Controller::Parts::choose() {
  const Index i = last.step - begin, nx = states.rows();
  const auto state = observer.state();
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

// From the last transition, where both of its ends and all that the model sees of it were measured.
void Controller::Parts::learn() {
  if (run < motion.layout.history + 1) return;
  at_step.states.col(0) = measured_before;
  at_step.actions.col(0) = control_before;
  motion.step(at_step);
  if (!at_step.next.allFinite()) return;
  motion.learn(at_step, measured_now.head(motion.layout.observed), given_up);
  observer.give_up(given_up);
  last.learned = true;
}

void Controller::Parts::prepare(const Deadline& deadline) {
  if (!started || last.step < 0) return;
  const double entered = deadline.now();
  iteration.forget();
  whole.forget();
  if (settings.learn && deadline.left() > whole.seconds) learn();
  if (!has_predicted) {
    observer.predict(control, comes_to_rest);
    has_predicted = true;
  }
  const Index plan_begin = last.step + 1;
  last.has_regulator = stationary.regulated();
  if (!observer.finite() || deadline.left() <= whole.seconds) return;

  settle_reference(false);
  last.has_regulator = stationary.regulated();
  rest.states.col(0) = observer.state();
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

void Controller::Parts::aim(const TaskCost& wanted) {
  SystemSpec other_spec = spec;
  other_spec.task = wanted;
  check(other_spec);
  spec.task = wanted;
  task.cost = wanted;
  task_begin = last.step + 1;
  if (started) settle_reference(true);
}

Controller::Controller(const DynamicsModel& model, const SystemSpec& spec, ControlSettings settings)
    : parts_(std::make_unique<Parts>(model, spec, settings)) {}
Controller::Controller(Controller&&) noexcept = default;
Controller& Controller::operator=(Controller&&) noexcept = default;
Controller::~Controller() = default;

void Controller::start(const Trajectory& before, const Matrix& actions) {
  parts_->start(before, actions);
}

void Controller::start(const Vector& measured, const Matrix& actions) {
  parts_->start(standing_at(measured, parts_->action.size()), actions);
}

const Vector& Controller::act(const Vector* measured) { return parts_->act(measured); }

void Controller::prepare(const Deadline& deadline) { parts_->prepare(deadline); }

const Vector& Controller::step(const Vector& measured) {
  parts_->act(&measured);
  parts_->prepare({});
  return parts_->last.action;
}

void Controller::carried_out(const Vector& action) {
  Parts& p = *parts_;
  if (action.size() != p.action.size() || !action.allFinite()) return;
  p.action = action;
  p.control = action;
  if (p.motion.layout.changes) p.control -= p.action_before;
  p.has_predicted = false;
}

void Controller::aim(const TaskCost& task) { parts_->aim(task); }
const TaskCost& Controller::task() const { return parts_->task.cost; }

const Vector& Controller::towards_rest() {
  Parts& p = *parts_;
  p.last.action =
      p.action + (p.rest_action - p.action).cwiseMax(-p.most_change).cwiseMin(p.most_change);
  p.action_before = p.action;
  p.action = p.last.action;
  p.control = p.motion.layout.changes ? Vector(p.action - p.action_before) : p.action;
  p.last.source = ActionSource::rest;
  return p.last.action;
}

const ControlStep& Controller::last() const { return parts_->last; }
Index Controller::plan_begin() const { return parts_->begin; }

ConstMatrixRef Controller::planned_observations() const {
  return parts_->states.topRows(parts_->motion.layout.observed);
}

ConstMatrixRef Controller::planned_actions() const { return parts_->actions; }

ControlTables Controller::tables() const {
  const Parts& p = *parts_;
  ControlTables tables{.layout = p.motion.layout,
                       .states = p.states,
                       .controls = p.controls,
                       .gains = p.gains,
                       .control_bounds = p.control_bounds,
                       .held_state = {},
                       .held_control = {},
                       .held_gain = {},
                       .lost_deviation = kLostShare * p.known_width};
  if (!p.stationary.regulated()) return tables;
  tables.held_state = p.stationary.state();
  tables.held_control = p.stationary.control();
  tables.held_gain = p.stationary.gain();
  return tables;
}

DynamicsModel Controller::model() const {
  DynamicsModel now = parts_->model;
  now.regression = parts_->motion.online.regression;
  return now;
}

const SystemSpec& Controller::spec() const { return parts_->spec; }

}  // namespace rhc
