// How long a planner may go on: until a moment of somebody's clock, or for so many iterations.
#pragma once

#include <functional>
#include <limits>

#include "rhc/core/types.h"

namespace rhc {

// Seconds since some moment, never going back. It is called on the control path: it should not
// allocate, and it must not throw.
using Clock = std::function<double()>;

// A small value that is made anew for every period. Without a clock only the iterations count, and
// runs can be repeated.
struct Deadline {
  const Clock* clock = nullptr;
  double at = kInfinity;  // by the clock
  int iterations = std::numeric_limits<int>::max();

  static Deadline of_iterations(int most) { return {nullptr, kInfinity, most}; }
  static Deadline at_time(const Clock& clock, double when) { return {&clock, when}; }
  static Deadline in(const Clock& clock, double seconds) { return {&clock, clock() + seconds}; }

  double now() const { return clock ? (*clock)() : 0; }
  double left() const { return clock ? at - (*clock)() : kInfinity; }
};

}  // namespace rhc
