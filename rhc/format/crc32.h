// The checksum of zip files; it notices every change of a few bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rhc {

std::uint32_t crc32(std::string_view bytes);

// Eight hexadecimal digits, and back; nothing for what is none.
std::string checksum_text(std::uint32_t sum);
std::optional<std::uint32_t> parse_checksum(std::string_view text);

}  // namespace rhc
