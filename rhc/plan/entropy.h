// Expected variance reduction: how much the whole plan lowers the entropy of the parameters.
#pragma once

#include "rhc/plan/leverage.h"
#include "rhc/plan/objective.h"

namespace rhc {

// D 1/2 log det(I + sum_t w_t z_t z_t'), z = L^-1 phi, in nats, to be made large.
class Entropy final : public Objective {
 public:
  Entropy(const PlanningModel& model, Vector time_weights);

  double evaluate(const Rollout& rollout) override;
  void expand(const Rollout& rollout, Expansion& at) override;
  double sign() const override { return -1; }

 private:
  bool by_steps() const { return leverage_.Z.cols() <= leverage_.Z.rows(); }

  Leverage leverage_;
  Vector root_weights_;
  double outputs_;
  Matrix weighted_;  // Z with columns times root weights, then times the inverse
  Matrix factor_;    // of the smaller of the two matrices with the same determinant
  Matrix transposed_, inverse_factor_;
};

}  // namespace rhc
