// A task as a receding plan sees it: from some step of its reference on, with actions counted from
// those that hold the target, and with the cost of what comes after the plan's end.
#pragma once

#include "rhc/plan/layout.h"
#include "rhc/plan/objective.h"
#include "rhc/system/spec.h"

namespace rhc {

class ControlTask final : public Objective {
 public:
  ControlTask(TaskCost cost, const Layout& layout, Index horizon);

  double evaluate(const Rollout& rollout) override;
  void expand(const Rollout& rollout, Expansion& at) override;
  double sign() const override { return 1; }

  TaskCost cost;
  Index now = 0;   // step of the reference at which the plan begins
  Matrix settled;  // nu x T: actions that cost nothing
  bool has_tail = false;
  Matrix tail;  // 1/2 (x_T - tail_state)' tail (x_T - tail_state) instead of the final cost
  Vector tail_state;

 private:
  Layout layout_;
  Vector off_, slope_;
};

// The second derivative of a step's cost by state and control, n x n.
void stage_curvature(const TaskCost& cost, const Layout& layout, Matrix& H);

}  // namespace rhc
