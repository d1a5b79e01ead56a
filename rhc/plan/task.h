// A system's task as an objective, where the states of the plan hold the observations.
#pragma once

#include "rhc/plan/layout.h"
#include "rhc/plan/objective.h"
#include "rhc/system/spec.h"

namespace rhc {

class Task final : public Objective {
 public:
  explicit Task(TaskCost cost);
  Task(TaskCost cost, const Layout& layout);

  double evaluate(const Rollout& rollout) override;
  void expand(const Rollout& rollout, Expansion& at) override;
  double sign() const override { return 1; }

 private:
  TaskCost cost_;
  Layout layout_;
};

}  // namespace rhc
