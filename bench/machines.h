// Machines as they stand on a bench: friction, dead zones, encoders, tanks that fill slowly, states
// that nobody measures. What a program that is right about simulators must still be right about.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "rhc/system/plant.h"

namespace rhc::bench {

struct Machine {
  System system;
  Vector noise;    // of the sensors
  Vector quantum;  // that their readings are rounded to; 0: not at all
};

inline double rounded(double value, double quantum) {
  return quantum > 0 ? quantum * std::round(value / quantum) : value;
}

// What is measured, with the sensors' noise and resolution. The truth is kept, too.
class MachinePlant final : public Plant {
 public:
  MachinePlant(const Machine& machine, RandomStream randomness)
      : machine_(machine), randomness_(randomness) {}

  Vector reset(const Vector& state) override {
    state_ = state;
    truth = {machine_.system.observe(state_)};
    return measure();
  }
  Vector step(const Vector& action) override {
    state_ = machine_.system.step(state_, action);
    truth.push_back(machine_.system.observe(state_));
    return measure();
  }

  std::vector<Vector> truth;  // observations without noise, from the start

 private:
  Vector measure() {
    Vector seen = truth.back();
    for (Index i = 0; i < seen.size(); ++i)
      seen[i] = rounded(seen[i] + machine_.noise[i] * randomness_.normal(), machine_.quantum[i]);
    return seen;
  }

  const Machine& machine_;
  RandomStream randomness_;
  Vector state_;
};

inline Vector numbers(std::initializer_list<double> values) {
  Vector result(static_cast<Index>(values.size()));
  Index i = 0;
  for (const double value : values) result[i++] = value;
  return result;
}

// A motor with a dead zone, dry friction and an encoder.
struct Motor {
  SystemSpec spec() const {
    return {
        .name = "motor",
        .title = "motor with dead zone, friction and encoder",
        .state = {{"speed", "rad/s"}},
        .observation = {{"speed", "rad/s"}},
        .action = {{"voltage", "V"}},
        .angles = {},
        .action_bounds = {numbers({-12}), numbers({12})},
        .limits = {numbers({-60}), numbers({60})},
        .time_step = 0.02,
        .horizon = 100,
        .start = numbers({0}),
        .region = {numbers({-50}), numbers({50})},
        .task = {.target = numbers({30}), .weight = numbers({1}), .action_weight = numbers({0.01})},
        .safety = {.rest = numbers({0}), .sigmas = 2, .first = 0.5}};
  }
  Vector step(const Vector& state, const Vector& action) const {
    const double dead = 1.0;
    const double drive =
        std::abs(action[0]) < dead ? 0 : action[0] - std::copysign(dead, action[0]);
    double speed = state[0];
    for (int i = 0; i < 20; ++i)
      speed += 0.001 * (70 * drive - 6 * speed - 60 * std::tanh(speed / 0.3));
    return numbers({speed});
  }
};

// Two tanks in a row behind one pump: slow, and never empty twice in the same way.
struct Tanks {
  SystemSpec spec() const {
    return {.name = "tanks",
            .title = "two tanks in a row",
            .state = {{"upper", "cm"}, {"lower", "cm"}},
            .observation = {{"upper", "cm"}, {"lower", "cm"}},
            .action = {{"pump", ""}},
            .angles = {},
            .action_bounds = {numbers({0}), numbers({1})},
            .limits = {numbers({-2, -2}), numbers({30, 30})},
            .time_step = 5,
            .horizon = 80,
            .start = numbers({5, 5}),
            .region = {numbers({0, 0}), numbers({25, 25})},
            .task = {.target = numbers({0, 15}),
                     .weight = numbers({0, 1}),
                     .action_weight = numbers({0.01})},
            .safety = {.rest = numbers({0}), .sigmas = 2, .first = 0.5}};
  }
  Vector step(const Vector& state, const Vector& action) const {
    double upper = state[0], lower = state[1];
    for (int i = 0; i < 25; ++i) {
      const double through = 0.1 * std::sqrt(std::max(0.0, upper));
      const double out = 0.08 * std::sqrt(std::max(0.0, lower));
      upper = std::max(0.0, upper + 0.2 * (0.6 * action[0] - through));
      lower = std::max(0.0, lower + 0.2 * (through - out));
    }
    return numbers({upper, lower});
  }
};

// A stage on a spring of which only the position is measured.
struct Stage {
  SystemSpec spec() const {
    return {
        .name = "stage",
        .title = "stage on a spring, position only",
        .state = {{"position", "mm"}, {"speed", "mm/s"}},
        .observation = {{"position", "mm"}},
        .action = {{"force", "N"}},
        .angles = {},
        .action_bounds = {numbers({-10}), numbers({10})},
        .limits = {numbers({-60}), numbers({60})},
        .time_step = 0.02,
        .horizon = 100,
        .start = numbers({0, 0}),
        .region = {numbers({-50, -300}), numbers({50, 300})},
        .task = {.target = numbers({40}), .weight = numbers({1}), .action_weight = numbers({0.01})},
        .history = 3,
        .safety = {.rest = numbers({0}), .sigmas = 2, .first = 0.5}};
  }
  Vector step(const Vector& state, const Vector& action) const {
    double position = state[0], speed = state[1];
    for (int i = 0; i < 20; ++i) {
      const double spring = 60 * position + 0.01 * position * position * position;
      speed += 0.001 * (500 * action[0] - spring - 4 * speed);
      position += 0.001 * speed;
    }
    return numbers({position, speed});
  }
  Vector observe(const Vector& state) const { return state.head(1); }
};

// A heater with a heavy wall: slow, heated fast and cooled slowly, coarse thermometers.
struct Heater {
  SystemSpec spec() const {
    return {.name = "heater",
            .title = "heater with a heavy wall",
            .state = {{"element", "K"}, {"wall", "K"}},
            .observation = {{"element", "K"}, {"wall", "K"}},
            .action = {{"power", "W"}},
            .angles = {},
            .action_bounds = {numbers({0}), numbers({100})},
            .limits = {numbers({-20, -20}), numbers({150, 90})},
            .time_step = 2,
            .horizon = 100,
            .start = numbers({0, 0}),
            .region = {numbers({0, 0}), numbers({120, 70})},
            .task = {.target = numbers({0, 50}),
                     .weight = numbers({0, 1}),
                     .action_weight = numbers({0.0001})},
            .safety = {.rest = numbers({0}), .sigmas = 2, .first = 0.5}};
  }
  Vector step(const Vector& state, const Vector& action) const {
    double element = state[0], wall = state[1];
    for (int i = 0; i < 20; ++i) {
      const double through = 0.9 * (element - wall);
      const double lost = 0.5 * wall + 0.004 * wall * std::abs(wall);
      element += 0.1 * (action[0] - through) / 8;
      wall += 0.1 * (through - lost) / 40;
    }
    return numbers({element, wall});
  }
};

// A cart on a belt: it stays where it is put, sticks, and has a coarse encoder.
struct Belt {
  SystemSpec spec() const {
    return {.name = "belt",
            .title = "cart on a belt that sticks",
            .state = {{"position", "m"}, {"speed", "m/s"}},
            .observation = {{"position", "m"}, {"speed", "m/s"}},
            .action = {{"force", "N"}},
            .angles = {},
            .action_bounds = {numbers({-5}), numbers({5})},
            .limits = {numbers({-1, -4}), numbers({1, 4})},
            .time_step = 0.02,
            .horizon = 100,
            .start = numbers({0, 0}),
            .region = {numbers({-0.8, -2}), numbers({0.8, 2})},
            .task = {.target = numbers({0.5, 0}),
                     .weight = numbers({10, 0.1}),
                     .action_weight = numbers({0.001})},
            .safety = {.rest = numbers({0}), .sigmas = 2, .first = 0.5}};
  }
  Vector step(const Vector& state, const Vector& action) const {
    double position = state[0], speed = state[1];
    for (int i = 0; i < 20; ++i) {
      speed += 0.001 * (action[0] - 0.6 * speed - 0.8 * std::tanh(speed / 0.02)) / 0.5;
      position += 0.001 * speed;
    }
    return numbers({position, speed});
  }
};

inline std::vector<Machine> machines() {
  return {{Motor{}, numbers({0.4}), numbers({0.3})},
          {Tanks{}, numbers({0.1, 0.1}), numbers({0.05, 0.05})},
          {Stage{}, numbers({0.1}), numbers({0.1})},
          {Heater{}, numbers({0.2, 0.1}), numbers({0.25, 0.25})},
          {Belt{}, numbers({0.001, 0.02}), numbers({0.002, 0})}};
}

}  // namespace rhc::bench
