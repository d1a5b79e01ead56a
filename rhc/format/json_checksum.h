// JSON files that know when they were changed: their last key is a checksum of all others.
#pragma once

#include <cstdint>

#include "rhc/format/crc32.h"
#include "rhc/format/json.h"

namespace rhc {

// InputError of the reader where the text is no checksum.
std::uint32_t checksum_of(const JsonReader& reader, const Json& text);

// Adds the checksum of what stands there.
void seal(Json& json);

// InputError where a sealed file was changed. Files of 0.1 have no checksum.
void check_seal(const JsonReader& reader);

}  // namespace rhc
