#include "rhc/plan/true_dynamics.h"

#include <algorithm>
#include <utility>

namespace rhc {

namespace {

constexpr double kDifference = 1e-6;

}  // namespace

Matrix central_differences(const std::function<Vector(const Vector&)>& function, const Vector& at) {
  Matrix result;
  for (Index k = 0; k < at.size(); ++k) {
    Vector up = at, down = at;
    up[k] += kDifference;
    down[k] -= kDifference;
    const Vector column = (function(up) - function(down)) / (up[k] - down[k]);
    if (k == 0) result.resize(column.size(), at.size());
    result.col(k) = column;
  }
  return result;
}

TrueDynamics::TrueDynamics(System system) : system_(std::move(system)) {}

void TrueDynamics::step(Rollout& rollout, Index t) const {
  rollout.next.col(t) = system_.step(rollout.states.col(t), rollout.actions.col(t));
}

void TrueDynamics::linearize(const Rollout& rollout, Matrix& F) const {
  const Index nx = states(), n = nx + actions();
  const Box& bounds = system_.spec().action_bounds;
  for (Index t = 0; t < rollout.horizon(); ++t) {
    const Vector state = rollout.states.col(t), action = rollout.actions.col(t);
    auto block = F.middleCols(t * n, n);
    block.leftCols(nx) =
        central_differences([&](const Vector& x) { return system_.step(x, action); }, state);
    // The system clips its actions: at a bound the difference is taken from inside.
    for (Index k = 0; k < actions(); ++k) {
      Vector up = action, down = action;
      up[k] = std::min(action[k] + kDifference, bounds.upper[k]);
      down[k] = std::max(action[k] - kDifference, bounds.lower[k]);
      block.col(nx + k) = (system_.step(state, up) - system_.step(state, down)) / (up[k] - down[k]);
    }
  }
}

TrueTask::TrueTask(System system) : system_(std::move(system)) {}

double TrueTask::evaluate(const Rollout& rollout) {
  const TaskCost& task = system_.spec().task;
  double total = 0;
  for (Index t = 0; t < rollout.horizon(); ++t)
    total += task.stage_cost(system_.observe(rollout.states.col(t)), rollout.actions.col(t), t);
  return total +
         task.final_cost(system_.observe(rollout.states.col(rollout.horizon())), rollout.horizon());
}

void TrueTask::expand(const Rollout& rollout, Expansion& at) {
  const TaskCost& task = system_.spec().task;
  const Index T = rollout.horizon(), nx = rollout.states.rows(), nu = rollout.actions.rows();
  const auto observe = [&](const Vector& x) { return system_.observe(x); };
  for (Index t = 0; t <= T; ++t) {
    const Vector state = rollout.states.col(t);
    const Matrix J = central_differences(observe, state);
    const Vector& weight = t == T ? task.weight_at_end() : task.weight;
    const Vector slope =
        2 * J.transpose() * weight.cwiseProduct(observe(state) - task.target_at(t));
    const Matrix bend = 2 * J.transpose() * weight.asDiagonal() * J;
    if (t == T) {
      at.stages.p += slope;
      at.stages.P += bend;
      break;
    }
    at.stages.g.col(t).head(nx) += slope;
    at.stages.H_(t).topLeftCorner(nx, nx) += bend;
    at.stages.g.col(t).tail(nu) += 2 * task.action_weight.cwiseProduct(rollout.actions.col(t));
    at.stages.H_(t).bottomRightCorner(nu, nu).diagonal() += 2 * task.action_weight;
  }
}

}  // namespace rhc
