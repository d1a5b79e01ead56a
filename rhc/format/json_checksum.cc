#include "rhc/format/json_checksum.h"

namespace rhc {

namespace {

constexpr char kSeal[] = "checksum";

}  // namespace

std::uint32_t checksum_of(const JsonReader& reader, const Json& text) {
  const auto sum = parse_checksum(text.is_string() ? text.get<std::string>() : "");
  if (!sum) reader.fail("a checksum must be eight hexadecimal digits");
  return *sum;
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
