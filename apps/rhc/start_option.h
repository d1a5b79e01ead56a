// What --start says: "3.14159,0".
#pragma once

#include <string>

#include "rhc/system/spec.h"

namespace rhc::app {

// A value for each internal state of a system. InputError that names them where they do not fit;
// `whose` is how it begins to count them, such as "pendulum takes".
Vector parse_start(const std::string& text, const SystemSpec& spec, const std::string& whose);

}  // namespace rhc::app
