#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/array_file.h"
#include "rhc/format/byte_reader.h"

namespace rhc {

namespace {

constexpr std::string_view kFile = "PK\x03\x04", kListed = "PK\x01\x02", kEnd = "PK\x05\x06";
constexpr std::size_t kEndSize = 22;
constexpr std::uint16_t kStored = 0, kDeflated = 8;

// What stands behind 'KEY': in the header of an array.
std::string_view value_of(std::string_view header, std::string_view key) {
  const auto at = header.find(fmt::format("'{}':", key));
  return at == std::string_view::npos ? std::string_view{}
                                      : trim(header.substr(at + key.size() + 3));
}

// Nothing for what is no array of real numbers with one or two dimensions.
std::optional<Matrix> read_npy(std::string_view bytes, const std::string& name) {
  ByteReader in(bytes, name);
  if (in.take(6) != "\x93NUMPY") return std::nullopt;
  const auto version = in.number<std::uint8_t>();
  in.take(1);
  const std::string_view header =
      in.take(version == 1 ? in.number<std::uint16_t>() : in.number<std::uint32_t>());
  std::string_view type = value_of(header, "descr"), shape = value_of(header, "shape");
  if (!type.starts_with('\'') || type.size() < 5 || !shape.starts_with('(')) return std::nullopt;
  if (type[1] == '>') in.fail("the numbers are big-endian; save them as '<f8'");
  type = type.substr(2, type.find('\'', 1) - 2);
  if (type.size() != 2 || std::string_view("fiub").find(type[0]) == std::string_view::npos)
    return std::nullopt;
  shape = shape.substr(1, shape.find(')') - 1);
  std::vector<Index> sizes;
  for (const std::string_view part : split(shape, ',')) {
    if (trim(part).empty()) continue;
    const auto size = parse_integer(part);
    if (!size || *size < 0) in.fail("the array has no shape");
    sizes.push_back(static_cast<Index>(*size));
  }
  if (sizes.size() > 2) return std::nullopt;
  const Index rows = sizes.empty() ? 1 : sizes[0], columns = sizes.size() == 2 ? sizes[1] : 1;
  const auto width = static_cast<std::size_t>(type[1] - '0');
  const std::size_t most = in.left() / std::max<std::size_t>(width, 1);
  if (columns > 0 && static_cast<std::size_t>(rows) > most / static_cast<std::size_t>(columns))
    in.fail("the array is cut off");
  const std::vector<double> values =
      numbers_of(in.take(static_cast<std::size_t>(rows * columns) * width), type, name);
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (value_of(header, "fortran_order").starts_with("True"))
    return Eigen::Map<const Matrix>(values.data(), rows, columns);
  return Eigen::Map<const ByRows>(values.data(), rows, columns);
}

}  // namespace

bool is_npz(std::string_view bytes) { return bytes.starts_with(kFile); }

std::vector<NamedArray> read_npz(std::string_view bytes, const std::string& name) {
  const auto end = bytes.rfind(kEnd);
  if (end == std::string_view::npos || bytes.size() - end < kEndSize)
    throw InputError(name + ": the file is cut off: a zip archive has a list at its end");
  ByteReader tail(bytes.substr(end + 10), name);
  const auto count = tail.number<std::uint16_t>();
  tail.take(4);
  const auto start = tail.number<std::uint32_t>();
  ByteReader list(bytes.substr(std::min<std::size_t>(start, bytes.size())), name);
  std::vector<NamedArray> arrays;
  bool any = false;
  for (int i = 0; i < count; ++i) {
    if (list.take(4) != kListed) list.fail("the list of the archive is damaged");
    list.take(6);
    const auto method = list.number<std::uint16_t>();
    list.take(8);
    const auto packed = list.number<std::uint32_t>(), size = list.number<std::uint32_t>();
    const auto letters = list.number<std::uint16_t>(), extra = list.number<std::uint16_t>(),
               comment = list.number<std::uint16_t>();
    list.take(8);
    const auto at = list.number<std::uint32_t>();
    const std::string file(list.take(letters));
    list.take(std::size_t{extra} + comment);
    if (!file.ends_with(".npy")) continue;
    any = true;
    if (packed == std::numeric_limits<std::uint32_t>::max())
      list.fail("arrays of 4 GiB and more cannot be read");

    ByteReader entry(bytes.substr(std::min<std::size_t>(at, bytes.size())), name);
    if (entry.take(4) != kFile) entry.fail("the archive is damaged");
    entry.take(22);
    const auto name_size = entry.number<std::uint16_t>(), more = entry.number<std::uint16_t>();
    entry.take(std::size_t{name_size} + more);
    const std::string_view content = entry.take(packed);
    if (method != kStored && method != kDeflated)
      entry.fail("the archive is packed in a way that numpy does not use");
    const std::string unpacked =
        method == kDeflated ? inflated(content, false, size, name) : std::string(content);
    if (auto values = read_npy(unpacked, name))
      arrays.push_back({file.substr(0, file.size() - 4), std::move(*values)});
  }
  if (!any)
    throw InputError(name +
                     ": the archive has no arrays of numpy; save a spreadsheet as CSV instead");
  return arrays;
}

}  // namespace rhc
