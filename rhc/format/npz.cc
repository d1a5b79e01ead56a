#include "rhc/format/npz.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "rhc/core/error.h"
#include "rhc/format/crc32.h"

namespace rhc {

namespace {

static_assert(std::endian::native == std::endian::little, "the file's numbers are little-endian");

template <class... T>
void append_all(std::string& bytes, T... values) {
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
}

// The code points of a text; a byte that is no UTF-8 counts as one.
std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const int ones = std::countl_one(byte(i));
    const std::size_t length = ones >= 2 && ones <= 4 ? static_cast<std::size_t>(ones) : 1;
    bool whole = ones != 1 && i + length <= text.size();
    for (std::size_t k = 1; whole && k < length; ++k) whole = (byte(i + k) & 0xC0U) == 0x80U;
    if (length == 1 || !whole) {
      points += static_cast<char32_t>(byte(i++));
      continue;
    }
    char32_t point = byte(i) & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) point = point << 6U | (byte(i + k) & 0x3FU);
    points += point;
    i += length;
  }
  return points;
}

// What the zip format says of a file, both where it lies and in the list at the end: needs
// version 2.0, names in UTF-8, stored, and the date at which zip's time begins.
void append_description(std::string& bytes, const std::string& name, std::string_view content) {
  constexpr std::uint16_t kVersion = 20, kUtf8 = 1U << 11U, kStored = 0, kTime = 0, kDate = 0x21;
  const auto size = static_cast<std::uint32_t>(content.size());
  append_all(bytes, kVersion, kUtf8, kStored, kTime, kDate, crc32(content), size, size,
             static_cast<std::uint16_t>(name.size()), std::uint16_t{0});
}

}  // namespace

void Npz::add(const std::string& name, const std::string& type, const std::string& shape,
              const void* data, std::size_t size) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  // Data begin at a multiple of 64 bytes; ten come before the header, and a newline ends it.
  constexpr std::size_t kBefore = 10, kMultiple = 64;
  header.append(kMultiple - 1 - (kBefore + header.size()) % kMultiple, ' ');
  header += '\n';
  std::string content("\x93NUMPY\x01\x00", 8);
  append_all(content, static_cast<std::uint16_t>(header.size()));
  content += header;
  if (size > 0) content.append(static_cast<const char*>(data), size);
  entries_.push_back({name + ".npy", std::move(content)});
}

void Npz::add(const std::string& name, const std::vector<std::int64_t>& values) {
  add(name, "<i8", fmt::format("{},", values.size()), values.data(),
      values.size() * sizeof(std::int64_t));
}

void Npz::add(const std::string& name, const std::vector<double>& values) {
  add(name, "<f8", fmt::format("{},", values.size()), values.data(),
      values.size() * sizeof(double));
}

void Npz::add(const std::string& name, const std::vector<std::string>& texts) {
  std::size_t longest = 1;  // numpy has no texts of length 0
  std::vector<std::u32string> rows;
  for (const std::string& text : texts) {
    rows.push_back(code_points(text));
    longest = std::max(longest, rows.back().size());
  }
  std::u32string all;
  for (std::u32string& row : rows) {
    row.resize(longest);
    all += row;
  }
  add(name, fmt::format("<U{}", longest), fmt::format("{},", texts.size()), all.data(),
      all.size() * sizeof(char32_t));
}

void Npz::add_columns(const std::string& name, const Matrix& columns) {
  add(name, "<f8", fmt::format("{}, {}", columns.cols(), columns.rows()), columns.data(),
      static_cast<std::size_t>(columns.size()) * sizeof(double));
}

std::string Npz::bytes() const {
  std::uint64_t total =
      22;  // the end of the archive; then each file, its name twice and both heads
  for (const auto& [name, content] : entries_) total += content.size() + 2 * name.size() + 76;
  if (total > std::numeric_limits<std::uint32_t>::max())
    throw InputError("the arrays exceed the 4 GiB of an npz file; export csv or jsonl instead");

  std::string bytes, list;
  bytes.reserve(total);
  for (const auto& [name, content] : entries_) {
    const auto offset = static_cast<std::uint32_t>(bytes.size());
    bytes += "PK\x03\x04";
    append_description(bytes, name, content);
    bytes += name + content;

    list += "PK\x01\x02";
    append_all(list, std::uint16_t{20});  // made by version 2.0
    append_description(list, name, content);
    // No comment, on disk 0, no attributes.
    append_all(list, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0},
               offset);
    list += name;
  }
  const auto start = static_cast<std::uint32_t>(bytes.size());
  const auto count = static_cast<std::uint16_t>(entries_.size());
  bytes += list + "PK\x05\x06";
  append_all(bytes, std::uint16_t{0}, std::uint16_t{0}, count, count,
             static_cast<std::uint32_t>(list.size()), start, std::uint16_t{0});
  return bytes;
}

}  // namespace rhc
