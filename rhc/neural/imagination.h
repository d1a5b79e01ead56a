// Episodes that happen in an ensemble only, and reward disagreement.
#pragma once

#include <functional>
#include <vector>

#include "rhc/neural/ensemble.h"
#include "rhc/neural/sac.h"
#include "rhc/system/spec.h"

namespace rhc {

// Where imagined episodes begin, and how they stay possible.
struct ImaginedWorld {
  Vector start;                   // an observation
  Box action_bounds, limits;      // an episode that leaves the limits ends
  std::vector<AnglePair> angles;  // are put back on their circles
  Index horizon;
};

struct ImaginationSettings {
  Index actors = 32;            // episodes at once
  Index steps = 2500;           // of each; after the warm-up an update of the policy follows
  Index warm_up = 3;            // episodes of random actions before the first update
  double variance_share = 0.1;  // of the spread of variances that the utility sees
};

// How much the members disagree about what follows: the divergence of their predictions, with
// variances drawn to the largest so that certainty alone is worth little.
Tensor utility(const EnsemblePrediction& prediction, double variance_share);

// Trains the policy, which knows standardised observations, to seek disagreement. Stops where
// losses are no longer finite; the last ones are returned. Whoever must interrupt it throws between
// updates.
SacLosses train_in_imagination(const Ensemble& ensemble, const ImaginedWorld& world,
                               const ImaginationSettings& settings, Sac& policy,
                               RandomStream& randomness,
                               const std::function<void()>& between_updates = {});

}  // namespace rhc
