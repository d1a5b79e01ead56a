// Units as people write them into headers.
#pragma once

#include <optional>
#include <string_view>

namespace rhc {

// The factor that turns a number in one unit into one in the other, such as 0.001 from "mm" to "m".
// Nothing where there is none.
std::optional<double> unit_ratio(std::string_view from, std::string_view to);

}  // namespace rhc
