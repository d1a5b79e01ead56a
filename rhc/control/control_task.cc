#include "rhc/control/control_task.h"

#include <utility>

namespace rhc {

ControlTask::ControlTask(TaskCost wanted, const Layout& layout, Index horizon)
    : cost(std::move(wanted)),
      settled(Matrix::Zero(layout.acted, horizon)),
      tail(Matrix::Zero(layout.states(), layout.states())),
      tail_state(Vector::Zero(layout.states())),
      layout_(layout),
      off_(layout.states()),
      slope_(layout.states()) {}

double ControlTask::evaluate(const Rollout& rollout) {
  const Index T = rollout.horizon(), D = layout_.observed;
  double total = 0;
  for (Index t = 0; t < T; ++t) {
    for (Index i = 0; i < layout_.acted; ++i) {
      const double off = layout_.action(rollout.states, rollout.actions, i, t) - settled(i, t);
      total += cost.action_weight[i] * off * off;
    }
    total += cost.state_cost(rollout.states.col(t).head(D), now + t);
  }
  if (!has_tail) return total + cost.final_cost(rollout.states.col(T).head(D), now + T);
  off_ = rollout.states.col(T) - tail_state;
  slope_.noalias() = tail * off_;
  return total + 0.5 * off_.dot(slope_);
}

void ControlTask::expand(const Rollout& rollout, Expansion& at) {
  const Index T = rollout.horizon(), D = layout_.observed, nx = layout_.states();
  const Index n = nx + layout_.acted;
  lq::Problem& stages = at.stages;
  for (Index t = 0; t < T; ++t) {
    const auto target = cost.target_at(now + t);
    for (Index i = 0; i < D; ++i) {
      stages.g(i, t) += 2 * cost.weight[i] * (rollout.states(i, t) - target[i]);
      stages.H(i, t * n + i) += 2 * cost.weight[i];
    }
    for (Index i = 0; i < layout_.acted; ++i) {
      const double bend = 2 * cost.action_weight[i];
      const double slope =
          bend * (layout_.action(rollout.states, rollout.actions, i, t) - settled(i, t));
      const Index change = nx + i;
      stages.g(change, t) += slope;
      stages.H(change, t * n + change) += bend;
      if (!layout_.changes) continue;
      const Index before = layout_.first_action() + i;
      stages.g(before, t) += slope;
      stages.H(before, t * n + before) += bend;
      stages.H(before, t * n + change) += bend;
      stages.H(change, t * n + before) += bend;
    }
  }
  if (has_tail) {
    off_ = rollout.states.col(T) - tail_state;
    stages.p.noalias() += tail * off_;
    stages.P += tail;
    return;
  }
  const auto target = cost.target_at(now + T);
  for (Index i = 0; i < D; ++i) {
    const double weight = cost.weight_at_end()[i];
    stages.p[i] += 2 * weight * (rollout.states(i, T) - target[i]);
    stages.P(i, i) += 2 * weight;
  }
}

void stage_curvature(const TaskCost& cost, const Layout& layout, Matrix& H) {
  H.setZero();
  H.diagonal().head(layout.observed) = 2 * cost.weight;
  for (Index i = 0; i < layout.acted; ++i) {
    const double bend = 2 * cost.action_weight[i];
    const Index change = layout.states() + i, before = layout.first_action() + i;
    H(change, change) += bend;
    if (!layout.changes) continue;
    H(before, before) += bend;
    H(before, change) += bend;
    H(change, before) += bend;
  }
}

}  // namespace rhc
