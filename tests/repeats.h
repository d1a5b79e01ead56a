// How often a random test repeats: a little in `make test`, long in `make test-long`.
#pragma once

#include <cstdlib>

namespace rhc {

inline int repeats(int usual, int thorough) { return std::getenv("RHC_LONG") ? thorough : usual; }

}  // namespace rhc
