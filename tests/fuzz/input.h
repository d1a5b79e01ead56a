// What a fuzzer makes up, in the forms in which readers take it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "rhc/core/error.h"

namespace rhc {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A file in memory, whose content is replaced each time.
inline std::filesystem::path as_file(std::string_view text) {
  static const int file = ::memfd_create("input", 0);
  static const std::filesystem::path path = "/proc/self/fd/" + std::to_string(file);
  if (::ftruncate(file, 0) != 0 ||
      ::pwrite(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    std::abort();
  return path;
}

// Whatever is read is read, or refused with an InputError; anything else ends the fuzzer.
template <class Read>
void refused_or(const Read& read) {
  try {
    read();
  } catch (const InputError&) {
  }
}

// What was promised of a value that was read.
inline void promised(bool kept) {
  if (!kept) std::abort();
}

}  // namespace rhc
