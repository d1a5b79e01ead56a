#include "rhc/core/version.h"

#include <rhc_commit.h>

namespace rhc {

const char* version() { return RHC_VERSION; }

const char* commit() { return RHC_COMMIT; }

}  // namespace rhc
