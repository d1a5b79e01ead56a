// Named values in one file that knows when it is damaged: the checkpoint.
#pragma once

#include <string>
#include <string_view>

#include "rhc/core/named_values.h"

namespace rhc {

// The file's content, and back. InputError for a file that is damaged, of another kind or newer;
// `path` is what errors call it.
std::string archive_bytes(const NamedValues& values);
NamedValues parse_archive(std::string_view bytes, const std::string& path);

}  // namespace rhc
