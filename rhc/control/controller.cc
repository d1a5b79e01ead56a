#include "rhc/control/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "rhc/control/controller_parts.h"
#include "rhc/core/error.h"
#include "rhc/plan/plan_with_model.h"

namespace rhc {

namespace {

constexpr int kMostDelay = 1000;

void check_matching(const DynamicsModel& model, const SystemSpec& spec,
                    const ControlSettings& settings) {
  check(spec);
  if (model.shape.observed != spec.outputs() ||
      model.shape.acted != static_cast<Index>(spec.action.size()))
    throw InputError("the model is not one of the system '" + spec.name + "'");
  if (settings.delay < 0 || settings.delay > kMostDelay)
    throw InputError(
        fmt::format("a delay of {} steps: 0 to {} are possible", settings.delay, kMostDelay));
}

}  // namespace

Controller::Parts::Parts(const DynamicsModel& learned, const SystemSpec& system,
                         ControlSettings wanted)
    : model(learned),
      spec((check_matching(learned, system, wanted), system)),
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
      sent(Matrix::Zero(controls.rows(), wanted.delay + 1)),
      sent_actions(action.replicate(1, wanted.delay + 1)),
      ahead(states.rows()),
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

// What was done before, each action in the step in which it acted.
Trajectory Controller::Parts::as_it_acted(const Trajectory& before) const {
  Trajectory acted = before;
  for (Index t = 0; t < before.steps(); ++t) {
    if (t < settings.delay)
      acted.actions.col(t) = rest_action;
    else
      acted.actions.col(t) = before.actions.col(t - settings.delay);
  }
  return acted;
}

// What was sent before the start and has not acted yet, after an action that has.
void Controller::Parts::begin_sent(const Trajectory& before, Vector acted) {
  for (Index i = 1; i <= settings.delay; ++i) {
    const Index t = before.steps() - settings.delay + i - 1;
    sent_actions.col(i) = t < 0 ? rest_action : Vector(before.actions.col(t));
    sent.col(i) = sent_actions.col(i);
    if (motion.layout.changes) sent.col(i) -= acted;
    acted = sent_actions.col(i);
  }
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
  const Trajectory acted = as_it_acted(before);
  measured_now = motion.layout.first_state(acted, rest_action);
  measured_before = measured_now;
  observer.start(measured_now);
  begin_sent(before, last_action(acted, rest_action));
  run = 0;
  task_begin = 0;
  held_at = -1;
  has_plan = has_predicted = false;
  iteration = whole = {};
  last.step = -1;
  last.lost = last.rejected = 0;
  last.in_a_row = 0;
  settle_reference(true);

  look_ahead(1);
  const Vector state = ahead;
  task.now = reference_step(0);
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
  p.note_sent();
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
  p.note_sent();
  p.last.source = ActionSource::rest;
  return p.last.action;
}

const ControlStep& Controller::last() const { return parts_->last; }
Index Controller::plan_begin() const { return parts_->begin; }
Index Controller::delay() const { return parts_->settings.delay; }

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
