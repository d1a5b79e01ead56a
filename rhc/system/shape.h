// A part of a system as it is drawn: a thick line between two points of a plane.
#pragma once

#include <array>
#include <optional>

namespace rhc {

struct Shape {
  double radius;                                 // half its thickness, in the units of the plane
  bool round;                                    // its ends
  std::optional<std::array<double, 4>> place{};  // x, y and x, y of one that never moves
};

}  // namespace rhc
