// A task as a person says it on top of the system's own: "angle = 90 deg", "weigh the speed more",
// "follow this file".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rhc/system/spec.h"

namespace rhc {

// "angle=90 deg": a name, a number, and a unit where it is not the system's.
struct Assignment {
  std::string name;
  double value;
  std::string unit{};
};

// Names are those of what is measured, an angle's in place of its cosine and sine, or those of the
// observations themselves.
struct TaskChange {
  std::vector<Assignment> target{}, weight{}, final_weight{}, action_weight{};
  Matrix reference{};  // a target for every step, D x steps; NaN keeps the target; empty: none

  bool any() const;
};

struct ChangedTask {
  TaskCost task;
  std::vector<std::string> remarks{};  // what was decided without being asked for
};

// The system's task with these changes. A target that nothing weighs gets a weight; an angle's new
// target weighs cosine and sine alike. InputError that names what is unknown or does not fit.
ChangedTask changed_task(const SystemSpec& spec, const TaskChange& change);

// The names that a target may have, and those of a reference's columns.
std::vector<std::string> task_names(const SystemSpec& spec);

// "angle=90 deg, speed=0" after such an option. InputError that names the option and the part.
std::vector<Assignment> parse_assignments(std::string_view text, std::string_view option);

}  // namespace rhc
