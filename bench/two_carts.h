// A system with four states, all measured, whose steps may be as short as one likes.
#pragma once

#include <cmath>

#include "bench/machines.h"

namespace rhc::bench {

// Two carts on a spring, of which one is pushed: four states, all measured.
struct TwoCarts {
  double time_step = 0.02;  // s

  SystemSpec spec() const {
    return {.name = "two-carts",
            .title = "two carts on a spring",
            .state = {{"x", "m"}, {"y", "m"}, {"xdot", "m/s"}, {"ydot", "m/s"}},
            .observation = {{"x", "m"}, {"y", "m"}, {"xdot", "m/s"}, {"ydot", "m/s"}},
            .action = {{"force", "N"}},
            .angles = {},
            .action_bounds = {numbers({-1}), numbers({1})},
            .limits = Box::unbounded(4),
            .time_step = time_step,
            .horizon = static_cast<int>(std::lround(2 / time_step)),
            .start = numbers({0, 0, 0, 0}),
            .region = {numbers({-1, -1, -1, -1}), numbers({1, 1, 1, 1})},
            .task = {.target = numbers({0.5, 0.5, 0, 0}),
                     .weight = numbers({1, 1, 0.01, 0.01}),
                     .action_weight = numbers({0.01})}};
  }
  Vector step(const Vector& x, const Vector& u) const {
    const double h = time_step / 10;
    Vector next = x;
    for (int i = 0; i < 10; ++i) {
      const double pull = 20 * (next[1] - next[0]);
      next[2] += h * (5 * u[0] + pull - 0.2 * next[2]);
      next[3] += h * (-pull - 0.2 * next[3]);
      next[0] += h * next[2];
      next[1] += h * next[3];
    }
    return next;
  }
};

}  // namespace rhc::bench
