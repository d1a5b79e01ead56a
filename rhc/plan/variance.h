// Uncertainty sampling: the summed predictive variance along the plan.
#pragma once

#include "rhc/plan/leverage.h"
#include "rhc/plan/objective.h"

namespace rhc {

// sum_t w_t phi_t' A^-1 phi_t, the variance over the noise, in the mean of the outputs, to be made
// large.
class Variance final : public Objective {
 public:
  Variance(const PlanningModel& model, Vector time_weights);

  double evaluate(const Rollout& rollout) override;
  void expand(const Rollout& rollout, Expansion& at) override;
  double sign() const override { return -1; }

 private:
  std::vector<Leverage> leverages_;
  Vector weights_;
  double outputs_;
};

}  // namespace rhc
