#pragma once

namespace rhc {

// "major.minor.patch" of this library.
const char* version();

}  // namespace rhc
