// The systems that have a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rhc/system/system.h"

namespace rhc {

// Names of the systems in closed form; those of the paper come first.
std::vector<std::string> system_names();
std::vector<std::string> paper_system_names();

// The system of that name or alias; InputError with the nearest name where there is none.
System make_system(std::string_view name);

}  // namespace rhc
