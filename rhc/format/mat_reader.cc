#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/array_file.h"
#include "rhc/format/byte_reader.h"

namespace rhc {

namespace {

// Types of elements and classes of arrays, as the format numbers them.
constexpr std::uint32_t kMatrix = 14, kCompressed = 15;
constexpr std::uint32_t kStruct = 2, kFirstNumbers = 6, kLastNumbers = 15, kComplex = 0x800;
constexpr std::size_t kHead = 128, kUnit = 8;
constexpr int kDeepestStructure = 8;  // structures in structures
constexpr std::size_t kMostBytes = std::size_t{1} << 31;

std::string_view type_called(std::uint32_t type, const ByteReader& in) {
  constexpr std::array<std::string_view, 14> kTypes = {"",   "i1", "u1", "i2", "u2", "i4", "u4",
                                                       "f4", "",   "f8", "",   "",   "i8", "u8"};
  if (type >= kTypes.size() || kTypes[type].empty())
    in.fail(fmt::format("data of type {} are not known", type));
  return kTypes[type];
}

struct Element {
  std::uint32_t type;
  std::string_view data;
};

// A small one keeps its data in its tag. All begin at multiples of eight bytes, but for compressed
// ones.
Element next_element(ByteReader& in) {
  const auto first = in.number<std::uint32_t>();
  if (first >> 16U) {
    const std::string_view data = in.take(4);
    const std::uint32_t size = first >> 16U;
    if (size > data.size()) in.fail("the file is damaged");
    return {first & 0xFFFFU, data.substr(0, size)};
  }
  const auto size = in.number<std::uint32_t>();
  const std::string_view data = in.take(size);
  if (first != kCompressed && size % kUnit) in.take(std::min(in.left(), kUnit - size % kUnit));
  return {first, data};
}

class MatReader {
 public:
  explicit MatReader(const std::string& name) : name_(name) {}

  std::vector<NamedArray> read(std::string_view bytes) {
    ByteReader in(bytes.substr(kHead), name_);
    while (in.left() >= kUnit) {
      const Element element = next_element(in);
      if (element.type == kCompressed) {
        const std::string unpacked = inflated(element.data, true, kMostBytes, name_);
        ByteReader inner(unpacked, name_);
        if (const Element packed = next_element(inner); packed.type == kMatrix)
          read_array(packed.data, "", 0);
      } else if (element.type == kMatrix) {
        read_array(element.data, "", 0);
      }
    }
    return std::move(arrays_);
  }

 private:
  // `field`: its name, where it is a field of a structure.
  void read_array(std::string_view data, const std::string& field, int depth) {
    if (data.empty() || depth > kDeepestStructure) return;
    ByteReader in(data, name_);
    ByteReader flags(next_element(in).data, name_);
    const auto word = flags.number<std::uint32_t>();
    const std::uint32_t kind = word & 0xFFU;
    // What came after version 5, such as tables and time series, has no sizes.
    if (kind != kStruct && (kind < kFirstNumbers || kind > kLastNumbers)) return;
    const Element shape = next_element(in);
    const std::vector<double> sizes = numbers_of(shape.data, type_called(shape.type, in), name_);
    const std::string own(next_element(in).data);
    const std::string name = field.empty() ? own : field;
    if (sizes.size() != 2) return;
    if (kind == kStruct) {
      if (sizes[0] == 1 && sizes[1] == 1) read_fields(in, name, depth);
      return;
    }
    if (word & kComplex) return;
    const Element numbers = next_element(in);
    const std::vector<double> values =
        numbers_of(numbers.data, type_called(numbers.type, in), name_);
    if (!(sizes[0] >= 0 && sizes[1] >= 0) ||
        sizes[0] * sizes[1] != static_cast<double>(values.size()))
      in.fail(fmt::format("'{}' has {} numbers, but {} x {} places", name, values.size(), sizes[0],
                          sizes[1]));
    arrays_.push_back({name, Eigen::Map<const Matrix>(values.data(), static_cast<Index>(sizes[0]),
                                                      static_cast<Index>(sizes[1]))});
  }

  void read_fields(ByteReader& in, const std::string& structure, int depth) {
    ByteReader lengths(next_element(in).data, name_);
    const auto length = lengths.number<std::int32_t>();
    const std::string_view names = next_element(in).data;
    if (length < 1) in.fail("the file is damaged");
    const auto step = static_cast<std::size_t>(length);
    for (std::size_t at = 0; at + step <= names.size(); at += step) {
      std::string_view name = names.substr(at, step);
      name = name.substr(0, name.find('\0'));
      const Element field = next_element(in);
      if (field.type == kMatrix)
        read_array(field.data, fmt::format("{}.{}", structure, name), depth + 1);
    }
  }

  const std::string& name_;
  std::vector<NamedArray> arrays_;
};

}  // namespace

bool is_mat(std::string_view bytes) { return bytes.starts_with("MATLAB 5.0 MAT-file"); }

std::vector<NamedArray> read_mat(std::string_view bytes, const std::string& name) {
  if (bytes.size() < kHead || bytes.substr(kHead - 2, 2) != "IM")
    throw InputError(name + (bytes.size() < kHead
                                 ? ": the file is cut off"
                                 : ": the file was written on a big-endian machine; "
                                   "load and save it on this one"));
  return MatReader(name).read(bytes);
}

}  // namespace rhc
