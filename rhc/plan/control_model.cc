#include "rhc/plan/control_model.h"

#include <Eigen/Cholesky>
#include <utility>

#include "rhc/model/circle.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/plan_with_model.h"
#include "rhc/plan/task.h"
#include "rhc/plan/true_dynamics.h"

namespace rhc {

namespace {

Vector variances(const Vector& deviations, Index size) {
  return deviations.size() > 0 ? Vector(deviations.cwiseAbs2()) : Vector(Vector::Zero(size));
}

}  // namespace

ControlByModel::ControlByModel(const DynamicsModel& model, const SystemSpec& spec, bool stay_inside)
    : model_(model),
      spec_(spec),
      layout_(layout_of(model.shape, spec.safety.rate.size() > 0)),
      planned_(layout_.lift(mean_model_of(model))),
      state_bounds_(bounds_of_states(layout_, spec, task_limits(spec, stay_inside))),
      sensor_variance_(model.sensor_noise().cwiseAbs2()),
      process_variance_(model.process_noise().cwiseAbs2()) {}

PlanProblem ControlByModel::task(const Vector& state, Index horizon) const {
  return {.dynamics = [this, horizon] { return std::make_unique<MeanDynamics>(planned_, horizon); },
          .objective = [this] { return std::make_unique<Task>(spec_.task, layout_); },
          .first_state = state,
          .action_bounds = bounds_of_controls(layout_, spec_),
          .state_bounds = state_bounds_,
          .horizon = horizon};
}

StateEstimate ControlByModel::known_to_be(const Trajectory& before) const {
  return {layout_.first_state(before, model_.shape.action_at_rest),
          Matrix::Zero(layout_.states(), layout_.states())};
}

StateEstimate ControlByModel::measured_to_be(const Trajectory& before) const {
  StateEstimate estimate = known_to_be(before);
  estimate.covariance.diagonal().head(layout_.first_action()) =
      sensor_variance_.replicate(layout_.history, 1);
  settle(estimate.mean);
  return estimate;
}

ExpectedMeasurement ControlByModel::expected(const Vector& state) const {
  const Index D = layout_.observed;
  return {state.head(D), Matrix::Identity(D, layout_.states())};
}

Vector ControlByModel::step_variance(const Vector& state, const Vector& control) const {
  const Index D = layout_.observed;
  const Vector now = action(state, control);
  // What the regression sees: the states of a layout in their order, then the action.
  Vector input(model_.shape.inputs());
  input << state.head(input.size() - now.size()), now;
  Vector variance = Vector::Zero(layout_.states());
  variance.head(D) = process_variance_ + model_.doubt(input);
  return variance;
}

void ControlByModel::settle(Vector& state) const {
  project_on_circles(model_.shape.angles, state.head(layout_.observed));
}

Vector ControlByModel::action(const Vector& state, const Vector& control) const {
  if (!layout_.changes) return control;
  return control + state.segment(layout_.first_action(), layout_.acted);
}

Matrix ControlByModel::controls(const Matrix& actions) const {
  return layout_.changes ? changes_of(actions, model_.shape.action_at_rest) : actions;
}

Vector ControlByModel::repeated(const Vector& control) const {
  return layout_.changes ? Vector(Vector::Zero(control.size())) : control;
}

ControlByTruth::ControlByTruth(System system, const NoiseLevels& noise)
    : system_(std::move(system)),
      sensor_variance_(variances(noise.observation, system_.spec().outputs())),
      process_variance_(variances(noise.process, system_.spec().start.size())) {}

PlanProblem ControlByTruth::task(const Vector& state, Index horizon) const {
  return {.dynamics = [this] { return std::make_unique<TrueDynamics>(system_); },
          .objective = [this] { return std::make_unique<TrueTask>(system_); },
          .first_state = state,
          .action_bounds = system_.spec().action_bounds,
          .state_bounds = Box::unbounded(state.size()),
          .horizon = horizon};
}

ExpectedMeasurement ControlByTruth::expected(const Vector& state) const {
  return {system_.observe(state),
          central_differences([&](const Vector& x) { return system_.observe(x); }, state)};
}

void predict(const ControlModel& model, const Vector& control, StateEstimate& estimate) {
  const PlanProblem step = model.task(estimate.mean, 1);
  const std::unique_ptr<Dynamics> dynamics = step.dynamics();
  const Index nx = dynamics->states();
  Rollout rollout(nx, dynamics->actions(), dynamics->features(), 1);
  rollout.states.col(0) = estimate.mean;
  rollout.actions = control;
  dynamics->step(rollout, 0);
  Matrix F(nx, nx + dynamics->actions());
  dynamics->linearize(rollout, F);
  const auto Fx = F.leftCols(nx);
  estimate.covariance = (Fx * estimate.covariance * Fx.transpose()).eval();
  estimate.covariance.diagonal() += model.step_variance(estimate.mean, control);
  estimate.mean = rollout.next.col(0);
}

void correct(const ControlModel& model, const Vector& measured, StateEstimate& estimate) {
  const auto [measurement, H] = model.expected(estimate.mean);
  Matrix S = H * estimate.covariance * H.transpose();
  S.diagonal() += model.sensor_variance();
  // Where neither the sensor nor the state is in doubt, there is nothing to correct.
  S.diagonal().array() += 1e-12 * S.diagonal().mean() + 1e-300;
  const Matrix gain = S.llt().solve(H * estimate.covariance).transpose();
  estimate.mean += gain * (measured - measurement);
  estimate.covariance -= (gain * H * estimate.covariance).eval();
  estimate.covariance = (0.5 * (estimate.covariance + estimate.covariance.transpose())).eval();
  model.settle(estimate.mean);
}

}  // namespace rhc
