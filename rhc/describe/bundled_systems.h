// The systems that travel with the program, those of MuJoCo models included.
#pragma once

#include <string>
#include <vector>

#include "rhc/system/system.h"

namespace rhc {

// All that can be explored by name with this rhc: without MuJoCo the ones that need it are left
// out.
std::vector<std::string> bundled_names();

// InputError with the nearest name where there is none, and with what to do where MuJoCo is
// missing.
System bundled_system(const std::string& name);

}  // namespace rhc
