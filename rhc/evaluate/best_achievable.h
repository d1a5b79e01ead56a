// The line that no exploration is expected to pass.
#pragma once

#include "rhc/evaluate/scores.h"
#include "rhc/model/maximize_evidence.h"

namespace rhc {

// Scores of a model that was given uniform transitions from the region the test set starts in. It
// depends on the system and the settings, not on a run's seed.
Scores best_achievable(const System& system, const NoiseLevels& noise, Index features,
                       int transitions, EvidenceSettings settings, const TestSet& set);

}  // namespace rhc
