#include "rhc/format/crc32.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace rhc {

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value & 1 ? 0xEDB88320u ^ (value >> 1) : value >> 1;
      t[i] = value;
    }
    return t;
  }();
  std::uint32_t sum = ~before;
  for (const char byte : bytes)
    sum = table[(sum ^ static_cast<unsigned char>(byte)) & 0xFFu] ^ (sum >> 8);
  return ~sum;
}

std::string checksum_text(std::uint32_t sum) { return fmt::format("{:08x}", sum); }

std::optional<std::uint32_t> parse_checksum(std::string_view text) {
  std::uint32_t sum = 0;
  const char* end = text.data() + text.size();
  if (text.size() != 8 || std::from_chars(text.data(), end, sum, 16).ptr != end)
    return std::nullopt;
  return sum;
}

}  // namespace rhc
