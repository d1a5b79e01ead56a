// Modules that were built with another rhc: one of 0.1, whose stamp was a number, and one of a
// later version.
#include <cstdint>

extern "C" {
#ifdef RHC_OF_0_1
std::uint64_t rhc_neural_stamp() { return 4711; }
#else
const char* rhc_neural_build() { return "9.9.9 someothercommit"; }
#endif
void* rhc_make_neural_explorer() { return nullptr; }
}
