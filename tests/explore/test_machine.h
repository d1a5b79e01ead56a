// A motor that may wear, whose voltage may act late, and of which a speed may not be measured.
#pragma once

#include <cmath>
#include <deque>
#include <vector>

#include "rhc/core/random.h"
#include "rhc/system/spec.h"

namespace rhc {

struct TestMachine {
  double gain = 1;
  int late = 0;
  bool sees_speed = true;
  double noise = 0.002;

  SystemSpec spec() const {
    SystemSpec spec{.name = "machine",
                    .title = "machine",
                    .state = {{"speed", "rad/s"}, {"angle", "rad"}},
                    .observation = {{"speed", "rad/s"}, {"angle", "rad"}},
                    .action = {{"voltage", "V"}, {"brake", ""}},
                    .angles = {},
                    .action_bounds = {Eigen::Vector2d(-1, 0), Eigen::Vector2d(1, 1)},
                    .limits = Box::unbounded(sees_speed ? 2 : 1),
                    .time_step = 0.1,
                    .horizon = 80,
                    .start = Vector::Zero(2),
                    .region = {Vector::Constant(2, -3), Vector::Constant(2, 3)},
                    .task = {.target = Vector::Zero(sees_speed ? 2 : 1),
                             .weight = Vector::Ones(sees_speed ? 2 : 1),
                             .action_weight = Vector::Zero(2)}};
    if (!sees_speed) spec.observation.erase(spec.observation.begin());
    return spec;
  }

  Vector step(const Vector& state, const Vector& action) const {
    const double speed = state[0], angle = state[1];
    const double after = speed + 0.1 * (8 * gain * action[0] - 2 * speed - action[1] * speed -
                                        std::tanh(5 * speed) - std::sin(angle));
    return Eigen::Vector2d(after, angle + 0.05 * (speed + after));
  }
  Vector observe(const Vector& state) const { return sees_speed ? state : Vector(state.tail(1)); }

  // Actions are held for some steps each. The brake is never late.
  Trajectory episode(std::uint64_t seed, Index steps = 80, double largest = 1) const {
    RandomStream randomness(seed, "machine");
    std::deque<double> queue(static_cast<std::size_t>(late), 0.0);
    const Index outputs = sees_speed ? 2 : 1;
    Trajectory seen{Matrix(outputs, steps + 1), Matrix(2, steps)};
    Vector state = Vector::Zero(2), action(2);
    for (Index t = 0; t <= steps; ++t) {
      seen.observations.col(t) = observe(state) + noise * randomness.normals(outputs);
      if (t == steps) break;
      if (t % 4 == 0) action << largest * randomness.uniform(-1, 1), randomness.uniform(0, 1);
      seen.actions.col(t) = action;
      queue.push_back(action[0]);
      state = step(state, Eigen::Vector2d(queue.front(), action[1]));
      queue.pop_front();
    }
    return seen;
  }

  std::vector<Trajectory> episodes(int count, std::uint64_t first_seed = 1) const {
    std::vector<Trajectory> all;
    for (int e = 0; e < count; ++e)
      all.push_back(episode(first_seed + static_cast<std::uint64_t>(e)));
    return all;
  }
};

}  // namespace rhc
