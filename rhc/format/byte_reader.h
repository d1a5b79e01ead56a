// Bytes that somebody else wrote: nothing is read beyond their end.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace rhc {

class ByteReader {
 public:
  // `name` is what errors call the file.
  ByteReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::size_t left() const { return bytes_.size() - at_; }
  const std::string& name() const { return name_; }

  // The next bytes. InputError where there are not so many.
  std::string_view take(std::size_t count) {
    if (count > left()) fail("the file is cut off or damaged");
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }

  // A number as this machine keeps it.
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
};

// What a stream of deflate holds, with zlib's head or without. InputError where it is damaged, or
// more than `most` bytes.
std::string inflated(std::string_view stream, bool with_head, std::size_t most,
                     const std::string& name);

// Numbers of these bytes as doubles. InputError for a type that is none of i1, i2, i4, i8, u1, u2,
// u4, u8, b1 (true or false), f4 and f8.
std::vector<double> numbers_of(std::string_view bytes, std::string_view type,
                               const std::string& name);

}  // namespace rhc
