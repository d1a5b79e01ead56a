// A page that needs nothing but itself: markup, style, charts, program and data in one file.
#pragma once

#include <string>

#include "rhc/format/json.h"

namespace rhc {

// Whether the charts were there when this program was built.
bool pages_available();

// The page shows `data` by its "kind". InputError where the charts were not there.
std::string page(const std::string& title, const Json& data);

}  // namespace rhc
