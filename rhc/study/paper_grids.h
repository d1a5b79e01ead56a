// The grids of `rhc reproduce`, as TOML.
#pragma once

#include <string>

namespace rhc {

// All that the paper did and more, or a small part of it.
std::string paper_grid();
std::string quick_grid();

}  // namespace rhc
