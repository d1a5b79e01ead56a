// The instruction set that the numbers are computed with.
#pragma once

namespace rhc {

// That this library was compiled for: "x86-64", "x86-64-v2", -v3 or -v4; another machine's name.
const char* instruction_set();

// The best of these that this processor has; the same where that cannot be told.
const char* processor_instruction_set();

}  // namespace rhc
