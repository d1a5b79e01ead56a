// Expected variance reduction: how much the whole plan lowers the entropy of the parameters.
#pragma once

#include "rhc/plan/leverage.h"
#include "rhc/plan/objective.h"

namespace rhc {

// 1/2 log det(I + sum_t w_t z_t z_t'), z = L^-1 phi, summed over the outputs, in nats, to be made
// large.
class Entropy final : public Objective {
 public:
  Entropy(const PlanningModel& model, Vector time_weights);

  double evaluate(const Rollout& rollout) override;
  void expand(const Rollout& rollout, Expansion& at) override;
  double sign() const override { return -1; }

 private:
  struct Group {
    explicit Group(Leverage of_group);
    bool by_steps() const { return leverage.Z.cols() <= leverage.Z.rows(); }

    Leverage leverage;  // `weighted`: Z with columns times root weights, then times the inverse
    Matrix factor;      // of the smaller of the two matrices with the same determinant
    Matrix transposed, inverse_factor;
  };

  double evaluate(Group& group, const Rollout& rollout) const;
  void expand(Group& group, Expansion& at) const;

  Vector root_weights_;
  std::vector<Group> groups_;
};

}  // namespace rhc
