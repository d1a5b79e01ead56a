#include "rhc/plan/task_controller.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "rhc/plan/feedback.h"
#include "rhc/plan/replan.h"

namespace rhc {

TaskController::TaskController(const ControlModel& model, StateEstimate where,
                               const Matrix& actions, ControllerSettings settings)
    : model_(&model), settings_(settings), where_(std::move(where)), horizon_(actions.cols()) {
  // Towards the end of a plan its gains fade.
  if (settings_.receding && (settings_.replan < 1 || 2 * settings_.replan > horizon_))
    throw std::invalid_argument("a receding plan is made anew before half of it is done");
  adopt(model_->task(where_.mean, horizon_), model_->controls(actions));
}

// The plan from now on, and its gains; none where they are not finite.
void TaskController::adopt(const PlanProblem& problem, const Matrix& controls) {
  const std::unique_ptr<Dynamics> dynamics = problem.dynamics();
  const std::unique_ptr<Objective> objective = problem.objective();
  Rollout rollout(dynamics->states(), dynamics->actions(), dynamics->features(), problem.horizon);
  rollout.states.col(0) = problem.first_state;
  rollout.actions = controls;
  follow(*dynamics, rollout);
  states_ = rollout.states;
  controls_ = rollout.actions;
  gains_ = feedback_gains(*dynamics, *objective, rollout, problem.action_bounds)
               .value_or(Matrix::Zero(controls_.rows(), states_.rows() * problem.horizon));
  begin_ = t_;
}

// The rest of the plan as its gains would correct it, if the model were right from here on. Beyond
// its end the last action is held.
Matrix TaskController::corrected(const PlanProblem& problem) const {
  const std::unique_ptr<Dynamics> dynamics = problem.dynamics();
  const Index nx = dynamics->states(), from = t_ - begin_;
  Rollout rollout(nx, dynamics->actions(), dynamics->features(), problem.horizon);
  rollout.states.col(0) = problem.first_state;
  for (Index t = 0; t < problem.horizon; ++t) {
    if (from + t < controls_.cols())
      rollout.actions.col(t) = problem.action_bounds.clip(
          controls_.col(from + t) +
          gains_.middleCols((from + t) * nx, nx) * (rollout.states.col(t) - states_.col(from + t)));
    else
      rollout.actions.col(t) = model_->repeated(t > 0 ? rollout.actions.col(t - 1) : last_control_);
    dynamics->step(rollout, t);
    rollout.states.col(t + 1) = rollout.next.col(t);
  }
  return rollout.actions;
}

// The rest of the plan is left for one that is worth it, or that comes back inside the limits. A
// plan that recedes goes on in any case, unless nothing of it is finite.
void TaskController::replan() {
  const PlanProblem problem =
      model_->task(where_.mean, settings_.receding ? horizon_ : horizon_ - t_);
  const Matrix rest = corrected(problem);
  const std::unique_ptr<Dynamics> dynamics = problem.dynamics();
  const std::unique_ptr<Objective> objective = problem.objective();
  Shooting shooting(*dynamics, *objective, problem.action_bounds, problem.state_bounds,
                    problem.horizon);
  shooting.begin(problem.first_state, rest);
  const double old = shooting.cost(), outside = shooting.violation();
  if (shooting.status() == ShootingStatus::not_finite) return;
  if (held_) shooting.go_on_from(*held_, t_ - held_at_);
  const ShootingSettings how;
  shooting.iterate(settings_.iterations, how);
  const bool usable = shooting.rollout().defect() <= how.defect_tolerance &&
                      shooting.violation() <= std::max(outside, how.bound_tolerance);
  const bool inside_again = outside > how.bound_tolerance && shooting.violation() < outside;
  const bool better =
      usable && (inside_again || old - shooting.cost() > kWorthLeaving * std::abs(old));
  if (better || settings_.receding) adopt(problem, better ? shooting.rollout().actions : rest);
  if (!usable) held_.reset();
  if (!better) return;
  held_ = shooting.held();
  held_at_ = t_;
  ++replanned_;
}

Vector TaskController::step(const Vector& measured) {
  if (t_ > 0) {
    predict(*model_, last_control_, where_);
    correct(*model_, measured, where_);
  }
  const bool ends = !settings_.receding && t_ >= horizon_;
  if (settings_.replan > 0 && t_ > 0 && t_ % settings_.replan == 0 && !ends) replan();
  const Index i = t_ - begin_, nx = states_.rows();
  const PlanProblem now = model_->task(where_.mean, 1);
  // Beyond the end of all plans the last action is held.
  last_control_ =
      i < controls_.cols()
          ? now.action_bounds.clip(controls_.col(i) +
                                   gains_.middleCols(i * nx, nx) * (where_.mean - states_.col(i)))
          : model_->repeated(last_control_);
  ++t_;
  return model_->action(where_.mean, last_control_);
}

}  // namespace rhc
