// What a description says of the motion that is known: `derivative_of` and [nominal].
#pragma once

#include <filesystem>
#include <vector>

#include "rhc/describe/named_file.h"
#include "rhc/describe/system_file.h"
#include "rhc/format/toml.h"

namespace rhc {

// After observations and actions were read. `folder`: where a file lies that [nominal] names; it is
// added to the files that the description is to hold. A nominal model counts for more than
// derivatives.
KnownMotion read_known_motion(TomlReader& file, const SystemSpec& spec,
                              const std::vector<Measure>& measures,
                              const std::filesystem::path& folder,
                              std::vector<NamedFile>& named_files);

}  // namespace rhc
