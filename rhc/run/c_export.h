// A controller as one file of C99, for a microcontroller: plan, gains and the filter that estimates
// where the system is.
#pragma once

#include <string>

#include "rhc/run/controller_tables.h"

namespace rhc {

// Where the numbers come from, for who reads the file.
struct ControllerOrigin {
  std::string run, commit;
  int experiments = 0;
  Index transitions = 0;
};

ControllerOrigin origin_of(const RunRecord& run, const Solution& solution);

// The file. The same solution gives the same bytes.
std::string c_controller(const Solution& solution, const ControllerOrigin& origin);

}  // namespace rhc
