// How well hyperparameters explain whole trajectories of noisy measurements.
#pragma once

#include <vector>

#include "rhc/model/maximize_evidence.h"
#include "rhc/model/trajectory_filter.h"

namespace rhc {

// The log marginal likelihood of all measurements, states and weights integrated out, linear around
// the states and weights that were found; but for a constant. theta holds for each group of outputs
// (log nu_1, ..., log nu_n, log lambda), and the log lambda of affine features where there are any.
class TrajectoryEvidence {
 public:
  TrajectoryEvidence(const Regression& regression, const TrajectoryFilter& filter,
                     const std::vector<Piece>& pieces);

  // Of the regression as it was given.
  Vector theta() const;

  // The gradient where it is not null. A very small number where the precision of the weights is
  // not numerically positive definite.
  double value(const Vector& theta, double* gradient);

  // What theta says, by group; noise is that of the regression.
  std::vector<Hyperparameters> hyperparameters(const Vector& theta) const;

 private:
  // Innovations along a piece, as they would be without the weights.
  struct Look {
    Matrix slope;
    Vector target;
    Matrix inputs;
  };

  void set(const Vector& theta);

  Regression regression_;
  std::vector<OutputWeights> outputs_;
  std::vector<Look> looks_;
  double log_det_ = 0;
};

struct TrajectoryHyperparameters {
  std::vector<Hyperparameters> by_group;
  NoiseSplit noise;
};

// Hyperparameters under which whole trajectories are likely, and how much noise moves the system.
// A regression takes the noise of its inputs for roughness of the function, or of the outputs, and
// finds other ones. `previous`, by group, may be empty: from there, or from what the regression
// has, the search climbs. Of many data it looks at a part.
TrajectoryHyperparameters maximize_trajectory_evidence(const Regression& regression,
                                                       const NoiseSplit& noise,
                                                       const std::vector<AnglePair>& angles,
                                                       const std::vector<Transitions>& episodes,
                                                       const std::vector<Hyperparameters>& previous,
                                                       const StopSignal& stop = {});

}  // namespace rhc
