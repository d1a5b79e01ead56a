// A pendulum as a file describes it, and as a logger would write what it does.
#pragma once

#include <string>

#include "rhc/core/text.h"
#include "rhc/describe/system_file.h"
#include "rhc/evaluate/task_cost.h"
#include "rhc/system/pendulum.h"

namespace rhc {

inline const std::string kRig = R"(name = "rig"
time_step = 0.08
horizon = 20

[[observation]]
name = "theta"
unit = "rad"
angle = true
start = 3.14159265358979312

[[observation]]
name = "thetadot"
unit = "rad/s"
start = 0
range = [-8, 8]

[[action]]
name = "torque"
unit = "N m"
bounds = [-1, 1]

[task]
target = { theta = 0, thetadot = 0 }
weight = { theta = 1, thetadot = 0.01 }
action_weight = { torque = 0.001 }
)";

inline SystemFile rig(const std::string& text = kRig) {
  return parse_system(text, "rig.toml", ".");
}

inline std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// What a true pendulum does with these actions, from its start.
inline std::string rig_log(const Matrix& actions) {
  const System pendulum = Pendulum{};
  Vector state = pendulum.spec().start;
  std::string text = "time,theta,thetadot,torque\n";
  for (Index t = 0; t <= actions.cols(); ++t) {
    const bool last = t == actions.cols();
    text += exact(0.08 * static_cast<double>(t)) + "," + exact(state[0]) + "," + exact(state[1]) +
            "," + (last ? "" : exact(actions(0, t))) + "\n";
    if (!last) state = pendulum.step(state, actions.col(t));
  }
  return text;
}

}  // namespace rhc
