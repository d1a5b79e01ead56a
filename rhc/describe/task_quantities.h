// What a task can be about: what is measured, with an angle in place of its cosine and sine.
#pragma once

#include <string>
#include <vector>

#include "rhc/system/spec.h"

namespace rhc {

struct TaskQuantity {
  Quantity quantity;
  Index at;            // of the observation, or of the cosine
  Index sine = -1;     // of an angle; -1: it is none
  double radians = 1;  // in one unit of an angle
  double half = 1;     // half of the range in which it moves, in the units of the observation

  bool angle() const { return sine >= 0; }
};

// In the order of the observations.
std::vector<TaskQuantity> task_quantities(const SystemSpec& spec);

}  // namespace rhc
