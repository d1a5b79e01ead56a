// The paper's figure 2 for any system: how unsure a model is over a plane of two variables.
#pragma once

#include <string>
#include <vector>

#include "rhc/model/regression.h"
#include "rhc/system/spec.h"

namespace rhc {

// A variable that a plane may have as its axis: an observation, or the angle of two.
struct Coordinate {
  std::string name, unit;
  Index index;      // of the observation; of the angle's cosine
  Index sine = -1;  // of the angle's sine; -1: no angle

  double of(const Eigen::Ref<const Vector>& observation) const;
  void set(Vector& observation, double value) const;
};

std::vector<Coordinate> coordinates_of(const SystemSpec& spec);

struct Interval {
  double low, high;
};

struct Plane {
  std::size_t x, y;  // coordinates
  Interval x_range, y_range;
};

// Where the trajectories went, and a little further; an angle has its whole circle.
Interval range_of(const Coordinate& coordinate, const std::vector<const Trajectory*>& trajectories);

// Entropy in nats of the predicted next observation at the centres of the plane's cells, at zero
// action and with all other variables as in `around`. Row by row from the lowest y.
Matrix entropy_map(const Regression& model, const SystemSpec& spec,
                   const std::vector<Coordinate>& coordinates, const Plane& plane,
                   const Vector& around, Index cells);

}  // namespace rhc
