#include "rhc/control/controller.h"

#include <algorithm>

namespace rhc {

// Not yet: the action at rest.
struct Controller::Parts {
  DynamicsModel model;
  SystemSpec spec;
  ControlSettings settings;
  ControlStep last{};
  Matrix observations{}, actions{};
};

Controller::Controller(const DynamicsModel& model, const SystemSpec& spec, ControlSettings settings)
    : parts_(std::make_unique<Parts>(Parts{model, spec, settings})) {
  parts_->last.action = action_at_rest(spec);
}
Controller::Controller(Controller&&) noexcept = default;
Controller& Controller::operator=(Controller&&) noexcept = default;
Controller::~Controller() = default;

void Controller::start(const Trajectory&, const Matrix&) { parts_->last.step = -1; }
void Controller::start(const Vector& measured, const Matrix& actions) {
  start(standing_at(measured, parts_->spec.action_bounds.size()), actions);
}
const Vector& Controller::act(const Vector*) {
  ++parts_->last.step;
  return parts_->last.action;
}
void Controller::prepare(const Deadline&) {}
const Vector& Controller::step(const Vector& measured) {
  act(&measured);
  prepare(Deadline::of_iterations(parts_->settings.iterations));
  return parts_->last.action;
}
void Controller::carried_out(const Vector&) {}
void Controller::aim(const TaskCost& task) { parts_->spec.task = task; }
const TaskCost& Controller::task() const { return parts_->spec.task; }
const Vector& Controller::towards_rest() { return parts_->last.action; }
const ControlStep& Controller::last() const { return parts_->last; }
Index Controller::plan_begin() const { return 0; }
ConstMatrixRef Controller::planned_observations() const { return parts_->observations; }
ConstMatrixRef Controller::planned_actions() const { return parts_->actions; }
DynamicsModel Controller::model() const { return parts_->model; }
const SystemSpec& Controller::spec() const { return parts_->spec; }

}  // namespace rhc
