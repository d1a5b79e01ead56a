// What each step would tell by itself: the summed log of one plus variance over noise.
#pragma once

#include "rhc/plan/leverage.h"
#include "rhc/plan/objective.h"

namespace rhc {

// sum_t w_t 1/2 log(1 + phi_t' A^-1 phi_t), summed over the outputs, in nats, to be made large.
class StepInformation final : public Objective {
 public:
  StepInformation(const PlanningModel& model, Vector time_weights);

  double evaluate(const Rollout& rollout) override;
  void expand(const Rollout& rollout, Expansion& at) override;
  double sign() const override { return -1; }

 private:
  std::vector<Leverage> leverages_;
  Vector weights_;
};

}  // namespace rhc
