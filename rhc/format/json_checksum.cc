#include "rhc/format/json_checksum.h"

#include <fmt/format.h>

#include <charconv>

#include "rhc/format/crc32.h"

namespace rhc {

namespace {

constexpr char kSeal[] = "checksum";

}  // namespace

std::string checksum_text(std::uint32_t sum) { return fmt::format("{:08x}", sum); }

std::uint32_t checksum_of(const JsonReader& reader, const Json& text) {
  std::uint32_t sum = 0;
  const std::string digits = text.is_string() ? text.get<std::string>() : "";
  const char* end = digits.data() + digits.size();
  if (digits.size() != 8 || std::from_chars(digits.data(), end, sum, 16).ptr != end)
    reader.fail("a checksum must be eight hexadecimal digits");
  return sum;
}

void seal(Json& json) { json[kSeal] = checksum_text(crc32(dump_any(json))); }

void check_seal(const JsonReader& reader) {
  if (!reader.has(kSeal)) return;
  Json json = reader.all();
  json.erase(kSeal);
  if (reader.text(kSeal) != checksum_text(crc32(dump_any(json))))
    reader.fail("the file was changed after it was written");
}

}  // namespace rhc
