// One writer at a time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace rhc {

// Holds the file `lock` in a directory. The kernel lets go of it when the process ends, however it
// ends; the file itself says who the owner is, and goes away with the lock.
class Lock {
 public:
  // BusyError that names the owner where another process holds it.
  explicit Lock(const std::filesystem::path& directory);
  ~Lock();
  Lock(Lock&& other) noexcept : path_(std::move(other.path_)), file_(other.file_) {
    other.file_ = -1;
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  Lock& operator=(Lock&&) = delete;

 private:
  std::filesystem::path path_;
  int file_;
};

// Whether these words name this process.
bool is_this_process(const std::string& owner);

// Who writes there at this moment, in words; nothing where nobody does.
std::optional<std::string> lock_owner(const std::filesystem::path& directory);

}  // namespace rhc
