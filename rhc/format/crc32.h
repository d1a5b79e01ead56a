// The checksum of zip files; it notices every change of a few bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rhc {

// `before`: that of what stands before these bytes.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

// Eight hexadecimal digits, and back; nothing for what is none.
std::string checksum_text(std::uint32_t sum);
std::optional<std::uint32_t> parse_checksum(std::string_view text);

}  // namespace rhc
