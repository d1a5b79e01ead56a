// What a plan is judged by. Adding an objective is adding one file with a class like the others.
#pragma once

#include "rhc/plan/lq/riccati.h"
#include "rhc/plan/rollout.h"

namespace rhc {

// Where an objective adds its derivatives: by state and action (g, H, P, p of the stages), and by
// the features (M x T), whose way back to states and actions the dynamics know.
struct Expansion {
  lq::Problem& stages;
  Matrix& feature_slope;
};

// A cost, to be made small: what is to be made large is counted negative. Every thread needs one of
// its own, because what `evaluate` computes is kept for `expand`.
class Objective {
 public:
  virtual ~Objective() = default;

  virtual double evaluate(const Rollout& rollout) = 0;

  // Adds the derivatives at the rollout that was evaluated last.
  virtual void expand(const Rollout& rollout, Expansion& at) = 0;

  // +1 for a cost that a person wants small, -1 for a gain.
  virtual double sign() const = 0;
};

}  // namespace rhc
