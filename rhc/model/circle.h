// An angle's cosine and sine as a model predicts them, and the point of the circle they stand for.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "rhc/core/types.h"

namespace rhc {

struct Circle {
  // Near the centre no direction is right: the length is held above this, and derivatives stay
  // finite.
  static constexpr double kLeastLength = 1e-3;

  double length, c, s;  // of the prediction, and on the circle

  Circle(double cosine, double sine)
      : length(std::max(std::hypot(cosine, sine), kLeastLength)),
        c(cosine / length),
        s(sine / length) {}
};

// Brings each angle's cosine and sine back to the circle.
inline void project_on_circles(const std::vector<AnglePair>& angles, Eigen::Ref<Vector> point) {
  for (const AnglePair& angle : angles) {
    const Circle on(point[angle.cosine], point[angle.sine]);
    point[angle.cosine] = on.c;
    point[angle.sine] = on.s;
  }
}

}  // namespace rhc
