#include "rhc/store/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "rhc/core/error.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"

namespace rhc {

namespace {

static_assert(std::endian::native == std::endian::little, "the file's numbers are little-endian");

constexpr std::string_view kMagic = "rhc-archive\n";
constexpr std::uint32_t kArchiveFormat = 2;
constexpr std::uint8_t kNumbers = 0, kText = 1;

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_block(std::string& bytes, std::uint8_t kind, const std::string& name, Index rows,
                  Index cols, const void* data, std::size_t size) {
  append(bytes, kind);
  append(bytes, static_cast<std::uint32_t>(name.size()));
  append(bytes, static_cast<std::uint64_t>(rows));
  append(bytes, static_cast<std::uint64_t>(cols));
  bytes += name;
  bytes.append(static_cast<const char*>(data), size);
}

// Takes values off the front; never past the end.
class Cursor {
 public:
  Cursor(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  bool at_end() const { return bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) throw InputError(path_ + ": the file is damaged (it ends too early)");
    const std::string_view head = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return head;
  }

  template <class T>
  T value() {
    T result;
    std::memcpy(&result, take(sizeof result).data(), sizeof result);
    return result;
  }

  // Bytes of a block; refused where those that are left could not hold it.
  std::uint64_t size_of_block(std::uint64_t rows, std::uint64_t cols, std::uint64_t width) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 48;  // of a side whose other side is 0
    if (rows > kMost || cols > kMost || (rows != 0 && cols > bytes_.size() / width / rows))
      throw InputError(path_ + ": the file is damaged (a block is larger than the file)");
    return rows * cols * width;
  }

 private:
  std::string_view bytes_;
  const std::string& path_;
};

void append_numbers(std::string& bytes, const NamedValues& values) {
  for (const auto& [name, m] : values.matrices)
    append_block(bytes, kNumbers, name, m.rows(), m.cols(), m.data(),
                 static_cast<std::size_t>(m.size()) * sizeof(double));
}

void append_texts(std::string& bytes, const NamedValues& values) {
  for (const auto& [name, text] : values.texts)
    append_block(bytes, kText, name, static_cast<Index>(text.size()), 1, text.data(), text.size());
}

void take_blocks(Cursor blocks, NamedValues& values, const std::string& path) {
  while (!blocks.at_end()) {
    const auto kind = blocks.value<std::uint8_t>();
    const auto length = blocks.value<std::uint32_t>();
    const auto rows = blocks.value<std::uint64_t>(), cols = blocks.value<std::uint64_t>();
    const std::string name(blocks.take(length));
    if (kind != kNumbers && kind != kText)
      throw InputError(
          fmt::format("{}: the file is damaged (block '{}' is of kind {})", path, name, kind));
    const std::uint64_t width = kind == kNumbers ? sizeof(double) : 1;
    const std::string_view data = blocks.take(blocks.size_of_block(rows, cols, width));
    if (kind == kNumbers) {
      Matrix& m = values.matrices[name];
      m.resize(static_cast<Index>(rows), static_cast<Index>(cols));
      if (!data.empty()) std::memcpy(m.data(), data.data(), data.size());
    } else {
      values.texts[name] = data;
    }
  }
}

// What stands before its checksum.
std::string_view checked(std::string_view bytes, const std::string& path) {
  std::uint32_t sum = 0;
  if (bytes.size() < sizeof sum) throw InputError(path + ": the file is damaged (too short)");
  const std::string_view content = bytes.substr(0, bytes.size() - sizeof sum);
  std::memcpy(&sum, bytes.data() + content.size(), sizeof sum);
  if (sum != crc32(content))
    throw InputError(path + ": the file is damaged (its checksum does not fit)");
  return content;
}

std::uint32_t format_of(Cursor& all, const std::string& path) {
  if (all.left() < kMagic.size() || all.take(kMagic.size()) != kMagic)
    throw InputError(path + ": this is not a checkpoint, or its beginning is damaged");
  const auto format = all.value<std::uint32_t>();
  if (format > kArchiveFormat)
    throw InputError(
        fmt::format("{}: written in format {}, this program reads up to {}; use a newer rhc", path,
                    format, kArchiveFormat));
  return format;
}

// Bytes before the texts, and all before the numbers.
constexpr std::size_t kBeforeTexts = kMagic.size() + sizeof(std::uint32_t) + sizeof(std::uint64_t);

std::uint64_t size_of_texts(std::string_view bytes, const std::string& path) {
  Cursor start(bytes, path);
  format_of(start, path);
  return start.value<std::uint64_t>();
}

std::string_view up_to_numbers(std::string_view bytes, const std::string& path) {
  Cursor all(bytes, path);
  const std::uint64_t texts = size_of_texts(bytes, path);
  all.take(kBeforeTexts);
  all.take(texts);
  all.take(sizeof(std::uint32_t));
  return bytes.substr(0, bytes.size() - all.left());
}

}  // namespace

std::string archive_bytes(const NamedValues& values) {
  std::string texts, bytes(kMagic);
  append_texts(texts, values);
  append(bytes, kArchiveFormat);
  append(bytes, static_cast<std::uint64_t>(texts.size()));
  bytes += texts;
  append(bytes, crc32(bytes));
  append_numbers(bytes, values);
  append(bytes, crc32(bytes));
  return bytes;
}

NamedValues parse_archive(std::string_view bytes, const std::string& path) {
  NamedValues values;
  values.origin = path;
  Cursor all(bytes, path);
  const std::uint32_t format = format_of(all, path);
  const std::string_view content = checked(bytes, path);
  // The first format had the numbers first, and no checksum between.
  if (format == 1) {
    take_blocks({content.substr(std::min(content.size(), kMagic.size() + sizeof format)), path},
                values, path);
    return values;
  }
  const std::string_view head = up_to_numbers(bytes, path);
  if (content.size() < head.size())
    throw InputError(path + ": the file is damaged (it ends too early)");
  take_blocks({checked(head, path).substr(kBeforeTexts), path}, values, path);
  take_blocks({content.substr(head.size()), path}, values, path);
  return values;
}

NamedValues read_archive_texts(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::string bytes = read_beginning(path, kBeforeTexts);
  Cursor start(bytes, name);
  if (format_of(start, name) == 1) return parse_archive(read_text(path, kLargestMatrixFile), name);
  const std::uint64_t texts = size_of_texts(bytes, name);
  bytes = read_beginning(path, kBeforeTexts + texts + sizeof(std::uint32_t));
  NamedValues values;
  values.origin = name;
  take_blocks({checked(up_to_numbers(bytes, name), name).substr(kBeforeTexts), name}, values, name);
  return values;
}

}  // namespace rhc
