// Anything whose motion can be planned: the mean of a model, or a true system.
#pragma once

#include "rhc/plan/lq/riccati.h"
#include "rhc/plan/rollout.h"

namespace rhc {

class Dynamics {
 public:
  virtual ~Dynamics() = default;

  virtual Index states() const = 0;
  virtual Index actions() const = 0;
  virtual Index features() const { return 0; }

  // next.col(t) from states.col(t) and actions.col(t).
  virtual void step(Rollout& rollout, Index t) const = 0;

  // The derivatives F_t of the dynamics at every step.
  virtual void linearize(const Rollout& rollout, Matrix& F) const = 0;

  // Adds to every H_t the second derivative of multiplier' dynamics, and of the objective's part
  // that depends on the features (`feature_slope`, M x T, is used up). Dynamics without second
  // derivatives add nothing.
  virtual void add_curvature(const Rollout&, const Matrix& /*multipliers*/,
                             Matrix& /*feature_slope*/, Matrix& /*H*/) const {}

  // Adds to every g_t the derivative of what depends on the features.
  virtual void add_slope(const Rollout&, const Matrix& /*feature_slope*/, Matrix& /*g*/) const {}
};

// Fills states and `next` by following the actions from the first state.
void follow(const Dynamics& dynamics, Rollout& rollout);

}  // namespace rhc
