#include "rhc/store/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/store/manifest.h"

namespace rhc {

namespace {

struct flock whole_file() {
  struct flock region {};
  region.l_type = F_WRLCK;
  region.l_whence = SEEK_SET;
  return region;
}

std::string owner_in(int file) {
  char text[512];
  const ssize_t size = ::pread(file, text, sizeof text, 0);
  const std::string_view words =
      trim(std::string_view(text, size > 0 ? static_cast<std::size_t>(size) : 0));
  return words.empty() ? "another process" : std::string(words);
}

// The last owner may have removed the file between our opening and our locking it.
bool still_there(int file, const std::filesystem::path& path) {
  struct stat opened, named;
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

Lock::Lock(const std::filesystem::path& directory) : path_(directory / "lock"), file_(-1) {
  while (true) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0)
      throw IoError(fmt::format("cannot lock '{}': {}; you need to be able to write there",
                                directory.string(), std::strerror(errno)));
    struct flock whole = whole_file();
    if (::fcntl(file_, F_OFD_SETLK, &whole) != 0) {
      const int error = errno;
      const std::string owner = owner_in(file_);
      ::close(file_);
      if (error == EAGAIN || error == EACCES)
        throw BusyError(fmt::format("'{}' is being written by {}; wait until it is done",
                                    directory.string(), owner));
      throw IoError(fmt::format("cannot lock '{}': {}", directory.string(), std::strerror(error)));
    }
    if (still_there(file_, path_)) break;
    ::close(file_);
  }
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  const std::string owner = fmt::format("process {} on {} since {}\n", ::getpid(), host, utc_now());
  // Who owns it is a courtesy: a full disk must not keep anybody from the lock itself.
  if (::ftruncate(file_, 0) == 0 && ::pwrite(file_, owner.data(), owner.size(), 0) < 0)
    ::ftruncate(file_, 0);
}

Lock::~Lock() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
}

std::optional<std::string> lock_owner(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "lock";
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::optional<std::string> owner;
  // Asking does not take the lock, so it is in nobody's way.
  struct flock whole = whole_file();
  if (::fcntl(file, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK) owner = owner_in(file);
  ::close(file);
  return owner;
}

}  // namespace rhc
