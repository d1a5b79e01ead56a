// The checksum of zip files; it notices every change of a few bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace rhc {

std::uint32_t crc32(std::string_view bytes);

}  // namespace rhc
