// A guess of a plan, with all that was computed on the way.
#pragma once

#include "rhc/core/types.h"

namespace rhc {

// Column t belongs to step t. `next` is where the dynamics lead from (states, actions): where it
// differs from the state after, the guess has a gap.
struct Rollout {
  Rollout(Index states, Index actions, Index features, Index horizon);

  Index horizon() const { return actions.cols(); }

  // Largest gap.
  double defect() const { return (next - states.rightCols(horizon())).cwiseAbs().maxCoeff(); }

  Matrix states;       // nx x (T + 1)
  Matrix actions;      // nu x T
  Matrix next;         // nx x T
  Matrix phi, cosine;  // M x T; none where the dynamics have no features
  Matrix unprojected;  // nx x T: `next` before angles are brought back to the circle
};

}  // namespace rhc
