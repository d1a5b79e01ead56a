// Bounds on the states of a plan, held by multipliers and a penalty (an augmented Lagrangian).
#pragma once

#include <vector>

#include "rhc/plan/lq/riccati.h"
#include "rhc/plan/rollout.h"

namespace rhc {

class StateBounds {
 public:
  StateBounds(const Box& bounds, Index horizon) : StateBounds(bounds, {}, horizon) {}
  // `margin`: nx x T, by which states 1 to T stay inside; empty: none.
  StateBounds(const Box& bounds, const Matrix& margin, Index horizon);

  void reset();

  // The largest violation along the plan, in the units of each state's range.
  double violation(const Rollout& rollout) const;

  // The penalty, and its derivatives added to the stages.
  double evaluate(const Rollout& rollout) const;
  void expand(const Rollout& rollout, lq::Problem& stages) const;

  // After the penalised problem was solved: multipliers take over what the penalty held, and where
  // that did not help enough the penalty grows.
  void update(const Rollout& rollout);

  // Follows a change of the cost's scale.
  void rescale(double ratio);

  // Goes on from what held a plan that began so many steps earlier, on another scale of the cost.
  void take_over(const StateBounds& earlier, Index steps, double ratio);

 private:
  struct Side {
    Index state;
    double sign;
    Vector bound;       // T: sign * (x - bound) <= 0
    double range;       // what counts as one unit of violation
    Vector multiplier;  // T

    double excess(const Rollout& rollout, Index t) const {
      return sign * (rollout.states(state, t) - bound[t - 1]) / range;
    }
  };

  std::vector<Side> sides_;
  double weight_ = 0;
  double last_violation_ = kInfinity;
};

}  // namespace rhc
