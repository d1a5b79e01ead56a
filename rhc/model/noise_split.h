// Which part of the noise is the sensors', and which moves the system.
#pragma once

#include <vector>

#include "rhc/model/regression.h"

namespace rhc {

// Standard deviations, in the units of the observations.
struct NoiseSplit {
  Vector sensor;   // R
  Vector process;  // Q
};

// From what one-step predictions left over in episodes that were learned from: an error of a sensor
// is in the step that ends with it and, the other way round, in the one that begins with it; what
// moves the system is in one step alone. Inputs must begin with the observations of one moment.
NoiseSplit split_noise(const Regression& regression, const std::vector<Transitions>& episodes,
                       const StopSignal& stop = {});

}  // namespace rhc
