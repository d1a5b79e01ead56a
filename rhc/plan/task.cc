#include "rhc/plan/task.h"

#include <utility>

namespace rhc {

Task::Task(TaskCost cost)
    : cost_(std::move(cost)),
      layout_{.observed = cost_.target.size(), .acted = cost_.action_weight.size()} {}

Task::Task(TaskCost cost, const Layout& layout) : cost_(std::move(cost)), layout_(layout) {}

double Task::evaluate(const Rollout& rollout) {
  const Index T = rollout.horizon(), D = layout_.observed;
  double total = 0;
  for (Index t = 0; t < T; ++t) {
    double effort = 0;
    for (Index i = 0; i < layout_.acted; ++i) {
      const double action = layout_.action(rollout.states, rollout.actions, i, t);
      effort += cost_.action_weight[i] * (action * action);
    }
    total += cost_.state_cost(rollout.states.col(t).head(D), t) + effort;
  }
  return total + cost_.final_cost(rollout.states.col(T).head(D), T);
}

void Task::expand(const Rollout& rollout, Expansion& at) {
  const Index T = rollout.horizon(), D = layout_.observed, nx = layout_.states();
  const Index n = nx + layout_.acted;
  for (Index t = 0; t < T; ++t) {
    const auto target = cost_.target_at(t);
    for (Index i = 0; i < D; ++i) {
      at.stages.g(i, t) += 2 * cost_.weight[i] * (rollout.states(i, t) - target[i]);
      at.stages.H(i, t * n + i) += 2 * cost_.weight[i];
    }
    for (Index i = 0; i < layout_.acted; ++i) {
      const double bend = 2 * cost_.action_weight[i];
      const double slope = bend * layout_.action(rollout.states, rollout.actions, i, t);
      const Index change = nx + i;
      at.stages.g(change, t) += slope;
      at.stages.H(change, t * n + change) += bend;
      if (!layout_.changes) continue;
      const Index before = layout_.first_action() + i;
      at.stages.g(before, t) += slope;
      at.stages.H(before, t * n + before) += bend;
      at.stages.H(before, t * n + change) += bend;
      at.stages.H(change, t * n + before) += bend;
    }
  }
  const auto target = cost_.target_at(T);
  for (Index i = 0; i < D; ++i) {
    const double weight = cost_.weight_at_end()[i];
    at.stages.p[i] += 2 * weight * (rollout.states(i, T) - target[i]);
    at.stages.P(i, i) += 2 * weight;
  }
}

}  // namespace rhc
