#pragma once

namespace rhc {

// "major.minor.patch" of this library.
const char* version();

// The commit that it was built from, with "-dirty" where files had been changed; empty where it was
// not built from a repository.
const char* commit();

}  // namespace rhc
