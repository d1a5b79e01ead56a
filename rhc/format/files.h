// Files that are either whole or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace rhc {

// What names end in while their files are being written: a suffix that nobody else uses, so that
// what a killed process leaves can be told from the files of others.
inline constexpr std::string_view kHalfWritten = ".rhc-tmp";

// What a failing power supply may cost; a process that dies never costs anything.
enum class Sync {
  now,   // nothing: what was written is on the disk
  later  // what was written since the last `sync_disk`
};

// A file of rhc's own: written to a temporary name that nobody else has, synced, renamed. Refuses
// to replace what is not a file, and follows no link. Throws IoError; the old content then still
// stands.
void write_atomically(const std::filesystem::path& path, std::string_view content,
                      Sync sync = Sync::now);

// What a person names to be written, piece by piece. A file is replaced as a whole when it is
// finished, and keeps its permissions; where the name is a link, that is the file it leads to. What
// is not a file, such as a pipe, a terminal or /dev/stdout, is written to. Throws IoError.
class HalfWritten;
class Output {
 public:
  explicit Output(const std::filesystem::path& path);
  // What was not finished is removed; a file that was there before still stands.
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  std::filesystem::path path_;
  int file_ = -1;                      // what is written to
  std::unique_ptr<HalfWritten> half_;  // where it is a file
};

// All of it at once.
void write_output(const std::filesystem::path& path, std::string_view content);

// All that was written on the disk of a directory, by anybody. Throws IoError.
void sync_disk(const std::filesystem::path& directory);

// More is not read of a file, but of one that holds a matrix of all features by all features.
inline constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;
inline constexpr std::uintmax_t kLargestMatrixFile = std::uintmax_t{1} << 34;

// A file of rhc's own. Throws InputError where it cannot be read, is larger than `limit` bytes, or
// is not a file: nothing that a reader would wait for.
std::string read_text(const std::filesystem::path& path, std::uintmax_t limit = kLargestFile);

// What a person names to be read, which may also be a pipe or a terminal, such as /dev/stdin.
// Throws InputError like `read_text`.
std::string read_input(const std::filesystem::path& path, std::uintmax_t limit = kLargestFile);

// No more than its first bytes.
std::string read_beginning(const std::filesystem::path& path, std::uintmax_t bytes);

// Creates the directory and its parents. Throws IoError.
void make_directories(const std::filesystem::path& path, Sync sync = Sync::now);

}  // namespace rhc
