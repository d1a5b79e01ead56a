// Named values in one file that knows when it is damaged: the checkpoint. Texts come first, with a
// checksum of their own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rhc/core/named_values.h"

namespace rhc {

// The file's content, and back. InputError for a file that is damaged, of another kind or newer;
// `path` is what errors call it.
std::string archive_bytes(const NamedValues& values);
NamedValues parse_archive(std::string_view bytes, const std::string& path);

// The texts alone, without reading the numbers after them.
NamedValues read_archive_texts(const std::filesystem::path& path);

}  // namespace rhc
