// The fit that the paper's code makes, for comparison with its curves.
#pragma once

#include <optional>

#include "rhc/model/maximize_evidence.h"

namespace rhc {

// Noise of variance 1 and prior precision 1e-8 in the units of the data, whatever they are. The
// bandwidths make the sum of squared errors over predictive variance least, by Nelder and Mead's
// method from the last ones (at first 1).
EvidenceFit paper_fit(const FourierFeatures& draw, const Transitions& data,
                      const std::optional<Hyperparameters>& previous, const StopSignal& stop = {});

}  // namespace rhc
