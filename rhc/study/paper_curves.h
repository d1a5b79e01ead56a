// What the paper published: the cost of the task over the episodes, 20 runs of each method.
#pragma once

#include <string>
#include <vector>

#include "rhc/study/aggregate.h"

namespace rhc {

struct PaperCurve {
  std::string system, method;  // as the paper calls the method, in small letters: rhc-us, max, ...
  Curve task_cost;
};

std::vector<PaperCurve> paper_curves();

}  // namespace rhc
