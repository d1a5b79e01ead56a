// Weights and states of whole trajectories, found together.
#pragma once

#include <vector>

#include "rhc/model/trajectory_filter.h"

namespace rhc {

// A regression takes every measurement for the state that it was of. That bends its weights, and
// leaves unused that a state is the end of one step and the beginning of the next. Here the most
// likely weights and states are found that explain all measurements, given the noise of sensors
// and motion: Gauss-Newton steps, in which an extended Kalman filter takes the states out.

// Whether that tells more than the regression: the sensors' noise matters, there are at least as
// many measurements as weights, and it is not too much to compute.
bool trajectories_tell_more(const Regression& regression, const NoiseSplit& noise,
                            Index transitions);

struct FittedTrajectories {
  std::vector<Piece> pieces;  // with the states that were found
  // Weights drawn from their joint posterior, by draw a matrix for each group; two in turn err to
  // either side of the mean. None where no step was found.
  std::vector<std::vector<Matrix>> draws;
};

// Replaces the weights of the regression; its precision and hyperparameters stay. Inputs must begin
// with the observations of one moment.
FittedTrajectories fit_trajectories(Regression& regression, const NoiseSplit& noise,
                                    const std::vector<AnglePair>& angles,
                                    const std::vector<Transitions>& episodes, int draws,
                                    const StopSignal& stop = {});

}  // namespace rhc
