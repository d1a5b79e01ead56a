// The posteriors behind forecasts: in more features than a plan can afford, and of more than one
// fit.
#pragma once

#include <memory>
#include <vector>

#include "rhc/model/fit_regression.h"

namespace rhc {

// The hyperparameters of a fit with other draws of the features, more of them, and what such a
// posterior learns from these data: of very many, from a part.
Regression widened(const Regression& fitted, const FeatureDraws& wide, const Transitions& data,
                   const StopSignal& stop = {});

// Fits that explain the data about as well as the best, all of them widened: that of one posterior
// for all outputs and that of one for each, where there is one, and of few data some whose
// hyperparameters are plausible, too. At least one of `fits` is there.
std::vector<std::shared_ptr<const Regression>> possible_fits(
    const LastFits& fits, const FeatureDraws& draws, const FeatureDraws& wide,
    const Transitions& data, const EvidenceSettings& settings, const KnownMotion& known = {});

}  // namespace rhc
