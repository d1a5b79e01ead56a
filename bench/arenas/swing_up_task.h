// The swing-up of RealAIGym's machine as a task of ours.
#pragma once

#include <utility>

#include "rhc/system/double_pendulum.h"
#include "rhc/system/system.h"

namespace rhc::bench {

// Weights of a plan's steps and of its end. The score counts torque, speeds and changes of torque
// as they are here, squared; energy and time it does not count as squares.
struct SwingUpTask {
  int horizon = 80;
  double largest_change = 0.4;  // N m in a step: searches begin with signals that fill this
  double angles = 0.01, speed1 = 3e-4, speed2 = 3e-4, torque = 0.01, change = 0.1;
  double end_angles = 100, end_speeds = 10, end_torque = 1;

  TaskCost cost() const {
    TaskCost task = DoublePendulum{}.spec().task;
    task.weight << angles, angles, angles, angles, speed1, speed2, torque;
    task.action_weight << change;
    task.final_weight << end_angles, end_angles, end_angles, end_angles, end_speeds, end_speeds,
        end_torque;
    return task;
  }
};

// The weights with which plans for the true dynamics score best: `realaigym scan` finds them.
inline SwingUpTask scored_task(Motor motor) {
  if (motor == Motor::elbow)
    return {.horizon = 95,
            .angles = 0.00187,
            .speed1 = 0.00125,
            .speed2 = 0.00064,
            .torque = 0.0206,
            .change = 0.0275};
  return {.horizon = 102,
          .angles = 0.00007,
          .speed1 = 0.007,
          .speed2 = 0.001,
          .torque = 0.073,
          .change = 0.037};
}

// The machine as somebody describes it: with another task, other bounds, other limits.
struct DescribedDoublePendulum {
  DoublePendulum machine;
  SystemSpec described;

  SystemSpec spec() const { return described; }
  Vector step(const Vector& state, const Vector& action) const {
    return machine.step(state, action);
  }
  Vector observe(const Vector& state) const { return machine.observe(state); }
};

inline SystemSpec with_task(SystemSpec spec, const SwingUpTask& task) {
  spec.task = task.cost();
  spec.horizon = task.horizon;
  spec.action_bounds = {Vector::Constant(1, -task.largest_change),
                        Vector::Constant(1, task.largest_change)};
  return spec;
}

}  // namespace rhc::bench
