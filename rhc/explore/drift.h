// Whether a system has changed since its first episodes: what the record says of it.
#pragma once

#include <optional>
#include <vector>

#include "rhc/model/regression.h"

namespace rhc {

struct Drift {
  Index output;  // that tells it most clearly
  // Root mean square of its one-step errors, where models learn from the other episodes that are
  // nearest in time, and from those that are farthest from them.
  double error_near, error_far;
};

// Where nothing changes, episodes tell as much of each other however long they are apart. Only
// steps count that both models know their way at, so that a new region is not taken for a change.
// `fitted` lends its features and hyperparameters. Nothing where all is as it was, or where the
// episodes are too few to tell.
std::optional<Drift> drift_in(const std::vector<Transitions>& episodes, const Regression& fitted);

// What is judged: by output, the share by which errors grow with the distance in time, mean over
// the record, and over its standard error. Empty where the episodes are too few.
struct DriftScore {
  double grown, certain;
  double error_near, error_far;
};
std::vector<DriftScore> drift_scores(const std::vector<Transitions>& episodes,
                                     const Regression& fitted);

}  // namespace rhc
