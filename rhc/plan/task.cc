#include "rhc/plan/task.h"

#include <utility>

namespace rhc {

Task::Task(TaskCost cost) : cost_(std::move(cost)) {}

double Task::evaluate(const Rollout& rollout) {
  double total = 0;
  for (Index t = 0; t < rollout.horizon(); ++t)
    total += cost_.stage_cost(rollout.states.col(t), rollout.actions.col(t));
  return total + cost_.final_cost(rollout.states.col(rollout.horizon()));
}

void Task::expand(const Rollout& rollout, Expansion& at) {
  const Index T = rollout.horizon(), nx = cost_.target.size(), nu = cost_.action_weight.size();
  const Index n = nx + nu;
  for (Index t = 0; t < T; ++t) {
    for (Index i = 0; i < nx; ++i) {
      at.stages.g(i, t) += 2 * cost_.weight[i] * (rollout.states(i, t) - cost_.target[i]);
      at.stages.H(i, t * n + i) += 2 * cost_.weight[i];
    }
    for (Index i = 0; i < nu; ++i) {
      at.stages.g(nx + i, t) += 2 * cost_.action_weight[i] * rollout.actions(i, t);
      at.stages.H(nx + i, t * n + nx + i) += 2 * cost_.action_weight[i];
    }
  }
  for (Index i = 0; i < nx; ++i) {
    const double weight = cost_.weight_at_end()[i];
    at.stages.p[i] += 2 * weight * (rollout.states(i, T) - cost_.target[i]);
    at.stages.P(i, i) += 2 * weight;
  }
}

}  // namespace rhc
