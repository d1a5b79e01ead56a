#include "rhc/format/byte_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "rhc/core/error.h"

namespace rhc {

namespace {

template <class T>
std::vector<double> as_doubles(std::string_view bytes) {
  std::vector<double> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

}  // namespace

void ByteReader::fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {} (byte {})", name_, what, at_));
}

std::string inflated(std::string_view stream, bool with_head, std::size_t most,
                     const std::string& name) {
  z_stream state{};
  // Negative where there is no head: so says zlib.
  if (inflateInit2(&state, with_head ? MAX_WBITS : -MAX_WBITS) != Z_OK)
    throw InputError(name + ": there is not enough memory to unpack the file");
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
  state.avail_in = static_cast<uInt>(stream.size());
  std::string all;
  char piece[1 << 14];
  int status = Z_OK;
  while (status == Z_OK && all.size() <= most) {
    state.next_out = reinterpret_cast<Bytef*>(piece);
    state.avail_out = sizeof piece;
    status = inflate(&state, Z_NO_FLUSH);
    all.append(piece, sizeof piece - state.avail_out);
  }
  inflateEnd(&state);
  if (all.size() > most) throw InputError(name + ": an array is larger than the file says");
  if (status != Z_STREAM_END) throw InputError(name + ": the file is cut off or damaged");
  return all;
}

std::vector<double> numbers_of(std::string_view bytes, std::string_view type,
                               const std::string& name) {
  if (type == "f8") return as_doubles<double>(bytes);
  if (type == "f4") return as_doubles<float>(bytes);
  if (type == "i1") return as_doubles<std::int8_t>(bytes);
  if (type == "i2") return as_doubles<std::int16_t>(bytes);
  if (type == "i4") return as_doubles<std::int32_t>(bytes);
  if (type == "i8") return as_doubles<std::int64_t>(bytes);
  if (type == "u1" || type == "b1") return as_doubles<std::uint8_t>(bytes);
  if (type == "u2") return as_doubles<std::uint16_t>(bytes);
  if (type == "u4") return as_doubles<std::uint32_t>(bytes);
  if (type == "u8") return as_doubles<std::uint64_t>(bytes);
  throw InputError(fmt::format("{}: numbers of type '{}' cannot be read", name, type));
}

}  // namespace rhc
