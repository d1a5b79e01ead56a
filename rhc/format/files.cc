#include "rhc/format/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "rhc/core/error.h"

namespace rhc {

namespace {

std::string advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "; free some space or choose another place with --out";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; choose a place you may write to with --out";
    default:
      return "";
  }
}

IoError failure(const char* what, const std::filesystem::path& path, int error) {
  return IoError(fmt::format("cannot {} '{}': {}{}", what, path.string(), std::strerror(error),
                             advice(error)));
}

std::string kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? "a directory"
         : S_ISLNK(mode)  ? "a symbolic link"
         : S_ISFIFO(mode) ? "a named pipe"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISREG(mode)  ? "a file"
                          : "a device";
}

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  const int number;
};

void write_all(int file, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw failure("write", path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A new file beside `path`, under a name that nobody else has. It is removed again unless it is
// renamed.
class HalfWritten {
 public:
  explicit HalfWritten(const std::filesystem::path& path) {
    // Long names are shortened, so that there is room for what is added.
    const std::string name = path.filename().string().substr(0, kLongestStem);
    for (int i = 0; file_ < 0; ++i) {
      path_ = path.parent_path() / fmt::format("{}.{}-{}{}", name, ::getpid(), i, kHalfWritten);
      file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
      if (file_ < 0 && (errno != EEXIST || i == kMostTries)) throw failure("create", path, errno);
    }
  }
  ~HalfWritten() {
    ::close(file_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  HalfWritten(const HalfWritten&) = delete;
  HalfWritten& operator=(const HalfWritten&) = delete;

  int file() const { return file_; }

  void rename_to(const std::filesystem::path& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) throw failure("rename to", path, errno);
    path_.clear();
  }

 private:
  static constexpr std::size_t kLongestStem = 100;
  static constexpr int kMostTries = 10000;

  std::filesystem::path path_;
  int file_ = -1;
};

std::string read_all(const Descriptor& file, const std::filesystem::path& path,
                     std::uintmax_t limit) {
  struct stat there {};
  const bool known = ::fstat(file.number, &there) == 0 && S_ISREG(there.st_mode);
  const auto size = known ? static_cast<std::uintmax_t>(there.st_size) : 0;
  if (size > limit)
    throw InputError(fmt::format("'{}' is {} bytes, more than the {} that rhc reads of it",
                                 path.string(), size, limit));
  std::string content;
  content.reserve(size);
  char buffer[65536];
  while (true) {
    const ssize_t got = ::read(file.number, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw InputError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
    if (got == 0) return content;
    content.append(buffer, static_cast<std::size_t>(got));
    if (content.size() > limit)
      throw InputError(
          fmt::format("'{}' is more than the {} bytes that rhc reads of it", path.string(), limit));
  }
}

InputError cannot_open(const std::filesystem::path& path, int error) {
  return InputError(fmt::format("cannot open '{}': {}", path.string(), std::strerror(error)));
}

}  // namespace

void write_atomically(const std::filesystem::path& path, std::string_view content, Sync sync) {
  struct stat there {};
  const bool exists = ::lstat(path.c_str(), &there) == 0;
  if (exists && !S_ISREG(there.st_mode))
    throw IoError(fmt::format("cannot write '{}': it is {}; {}", path.string(),
                              kind_of(there.st_mode),
                              S_ISDIR(there.st_mode) ? "name a file" : "remove it first"));
  HalfWritten half(path);
  // Who may read a file is for its owner to say.
  if (exists && ::fchmod(half.file(), there.st_mode & 07777) != 0)
    throw failure("set the permissions of", path, errno);
  write_all(half.file(), content, path);
  if (sync == Sync::now && ::fsync(half.file()) != 0) throw failure("sync", path, errno);
  half.rename_to(path);

  if (sync == Sync::later) return;
  // The new name itself is on disk only once its directory is.
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor directory{::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory.number >= 0) ::fsync(directory.number);
}

void sync_disk(const std::filesystem::path& directory) {
  const Descriptor opened{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (opened.number < 0 || ::syncfs(opened.number) != 0) throw failure("sync", directory, errno);
}

std::string read_text(const std::filesystem::path& path, std::uintmax_t limit) {
  // Asked before it is opened: opening a pipe may wait, and opening a device may do something.
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) throw cannot_open(path, errno);
  if (!S_ISREG(there.st_mode))
    throw InputError(fmt::format("cannot read '{}': it is {}, not a file", path.string(),
                                 kind_of(there.st_mode)));
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (file.number < 0) throw cannot_open(path, errno);
  if (::fstat(file.number, &there) != 0 || !S_ISREG(there.st_mode))
    throw InputError(fmt::format("cannot read '{}': it is no longer a file", path.string()));
  return read_all(file, path, limit);
}

std::string read_input(const std::filesystem::path& path, std::uintmax_t limit) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC)};
  if (file.number < 0) throw cannot_open(path, errno);
  return read_all(file, path, limit);
}

void make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw failure("create directory", path, error.value());
}

}  // namespace rhc
