#include "rhc/core/version.h"

namespace rhc {

const char* version() { return RHC_VERSION; }

}  // namespace rhc
