// Files that are either whole or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace rhc {

// What is added to a name while its file is being written: a suffix that nobody else uses, so that
// what a killed process leaves can be told from the files of others.
inline constexpr std::string_view kHalfWritten = ".rhc-tmp";

// What a failing power supply may cost; a process that dies never costs anything.
enum class Sync {
  now,   // nothing: what was written is on the disk
  later  // what was written since the last `sync_disk`
};

// Written to a temporary name, synced, renamed. Throws IoError; the old content then still stands.
void write_atomically(const std::filesystem::path& path, std::string_view content,
                      Sync sync = Sync::now);

// All that was written on the disk of a directory, by anybody. Throws IoError.
void sync_disk(const std::filesystem::path& directory);

// Throws InputError where it cannot be read.
std::string read_text(const std::filesystem::path& path);

// No more than its first bytes.
std::string read_beginning(const std::filesystem::path& path, std::uint64_t bytes);

// Creates the directory and its parents. Throws IoError.
void make_directories(const std::filesystem::path& path);

}  // namespace rhc
