// Another task, as Python says it: dicts by name, or arrays.
#pragma once

#include "python/arrays.h"
#include "rhc/describe/task_change.h"
#include "rhc/system/system.h"

namespace rhc::python {

// Each may be None. A target or weight is a dict {"angle": 3.14} (a text such as "90 deg" has a
// unit of its own) or has a number for each observation, or for all that is measured. A reference
// is a CSV file, a dict of columns, or rows of observations or of what is measured.
struct TaskArguments {
  nb::object target, weight, final_weight, action_weight, reference;
};

TaskChange task_change_of(const System& system, const TaskArguments& arguments);

}  // namespace rhc::python
