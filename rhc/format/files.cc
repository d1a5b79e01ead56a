#include "rhc/format/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "rhc/core/error.h"
#include "rhc/core/text.h"

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

enum class Held { by_us, by_another, by_nobody };  // by_nobody: the disk knows no locks

Held lock(int file) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(file, F_OFD_SETLK, &whole) == 0) return Held::by_us;
  return errno == EAGAIN || errno == EACCES ? Held::by_another : Held::by_nobody;
}

bool still_called(int file, const std::filesystem::path& path) {
  struct stat opened {
  }, named{};
  return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

// Of a process that was killed: a temporary file that nobody has locked. False where it is
// somebody's, or anything else.
bool remove_leftover(const std::filesystem::path& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return errno == ENOENT;
  if (!S_ISREG(there.st_mode)) return false;
  const Descriptor file{::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (file.number < 0) return errno == ENOENT;
  if (lock(file.number) != Held::by_us) return false;
  // Whoever had it may have renamed it since; another name is then no concern of ours.
  return !still_called(file.number, path) || ::unlink(path.c_str()) == 0;
}

void sync_directory(const std::filesystem::path& path) {
  const Descriptor directory{
      ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory.number >= 0) ::fsync(directory.number);
}

struct Destination {
  std::filesystem::path path;
  int descriptor = -1;  // of this process, where the name is one of it
};

// Of a link such as /proc/self/fd/1; -1 where it is none of these.
int own_descriptor(const std::filesystem::path& link) {
  std::error_code error;
  const auto folder = std::filesystem::canonical(link.parent_path(), error);
  if (error || folder != std::filesystem::canonical("/proc/self/fd", error) || error) return -1;
  const auto number = parse_integer(link.filename().string());
  return number && *number <= INT_MAX ? static_cast<int>(*number) : -1;
}

// Where links lead, also to what is not there yet.
Destination destination_of(const std::filesystem::path& named) {
  constexpr int kMostLinks = 40;
  std::filesystem::path at = named;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    if (!std::filesystem::is_symlink(at, error)) return {at};
    if (const int descriptor = own_descriptor(at); descriptor >= 0) return {at, descriptor};
    const std::filesystem::path to = std::filesystem::read_symlink(at, error);
    if (error) throw failure("follow the link", at, error.value());
    at = at.parent_path() / to;  // which is `to` alone where that is absolute
  }
  throw IoError(fmt::format("cannot write '{}': its symbolic links lead in a circle or too far",
                            named.string()));
}

InputError cannot_read(const std::filesystem::path& path, int error) {
  return InputError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(error)));
}

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
    if (got < 0) throw cannot_read(path, errno);
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

// The number of a descriptor for reading what is a file.
int opened_file(const std::filesystem::path& path) {
  // Asked before it is opened: opening a pipe may wait, and opening a device may do something.
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) throw cannot_open(path, errno);
  if (!S_ISREG(there.st_mode))
    throw InputError(fmt::format("cannot read '{}': it is {}, not a file", path.string(),
                                 kind_of(there.st_mode)));
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) throw cannot_open(path, errno);
  if (::fstat(file, &there) == 0 && S_ISREG(there.st_mode)) return file;
  ::close(file);
  throw InputError(fmt::format("cannot read '{}': it is no longer a file", path.string()));
}

}  // namespace

// A new file beside `path`, under a name that nobody else has, which is to replace it. It is locked
// as long as it is written, and removed again unless it replaces the other.
class HalfWritten {
 public:
  explicit HalfWritten(std::filesystem::path path) : path_(std::move(path)) {
    struct stat there {};
    const bool exists = ::lstat(path_.c_str(), &there) == 0;
    if (exists && !S_ISREG(there.st_mode))
      throw IoError(fmt::format("cannot write '{}': it is {}; {}", path_.string(),
                                kind_of(there.st_mode),
                                S_ISDIR(there.st_mode) ? "name a file" : "remove it first"));
    create();
    // Who may read a file is for its owner to say.
    if (exists && ::fchmod(file_, there.st_mode & 07777) != 0) {
      const int error = errno;
      remove();
      throw failure("set the permissions of", path_, error);
    }
  }
  ~HalfWritten() { remove(); }
  HalfWritten(const HalfWritten&) = delete;
  HalfWritten& operator=(const HalfWritten&) = delete;

  int file() const { return file_; }

  void replace(Sync sync) {
    if (sync == Sync::now && ::fsync(file_) != 0) throw failure("sync", path_, errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw failure("rename to", path_, errno);
    temporary_.clear();
    // The new name itself is on disk only once its directory is.
    if (sync == Sync::now) sync_directory(path_.parent_path());
  }

 private:
  static constexpr std::size_t kLongestStem = 100;
  static constexpr int kMostTries = 1000;

  void create() {
    // Long names are shortened, so that there is room for what is added.
    const std::string name = path_.filename().string().substr(0, kLongestStem);
    for (int i = 0; i <= kMostTries;) {
      temporary_ = path_.parent_path() / (i == 0 ? fmt::format("{}{}", name, kHalfWritten)
                                                 : fmt::format("{}.{}{}", name, i, kHalfWritten));
      file_ =
          ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
      if (file_ >= 0) {
        // Somebody may have taken it for a leftover before it was locked.
        if (lock(file_) != Held::by_another && still_called(file_, temporary_)) return;
        ::close(file_);
      } else if (errno != EEXIST) {
        throw failure("create", path_, errno);
      } else if (!remove_leftover(temporary_)) {
        ++i;
      }
    }
    throw failure("create", path_, EEXIST);
  }

  void remove() {
    // In this order: once it is closed, another may have the name.
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    ::close(file_);
  }

  std::filesystem::path path_, temporary_;
  int file_ = -1;
};

void write_atomically(const std::filesystem::path& path, std::string_view content, Sync sync) {
  HalfWritten half(path);
  write_all(half.file(), content, path);
  half.replace(sync);
}

Output::Output(const std::filesystem::path& path) : path_(path) {
  const Destination destination = destination_of(path);
  struct stat there {};
  if (destination.descriptor >= 0) {
    std::fflush(stdout);  // what was printed before comes before
    file_ = ::fcntl(destination.descriptor, F_DUPFD_CLOEXEC, 0);
  } else if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) &&
             !S_ISDIR(there.st_mode)) {
    file_ = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  } else {
    half_ = std::make_unique<HalfWritten>(destination.path);
    return;
  }
  if (file_ < 0) throw failure("open", path, errno);
}

Output::~Output() {
  if (file_ >= 0) ::close(file_);
}

void Output::write(std::string_view text) { write_all(half_ ? half_->file() : file_, text, path_); }

void Output::finish() {
  if (half_) half_->replace(Sync::now);
}

void write_output(const std::filesystem::path& path, std::string_view content) {
  Output output(path);
  output.write(content);
  output.finish();
}

void sync_disk(const std::filesystem::path& directory) {
  const Descriptor opened{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (opened.number < 0 || ::syncfs(opened.number) != 0) throw failure("sync", directory, errno);
}

std::string read_text(const std::filesystem::path& path, std::uintmax_t limit) {
  const Descriptor file(opened_file(path));
  return read_all(file, path, limit);
}

std::string read_beginning(const std::filesystem::path& path, std::uintmax_t bytes) {
  const Descriptor file(opened_file(path));
  std::string content;
  char buffer[65536];
  while (content.size() < bytes) {
    const std::size_t wanted = std::min<std::uintmax_t>(sizeof buffer, bytes - content.size());
    const ssize_t got = ::read(file.number, buffer, wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw cannot_read(path, errno);
    if (got == 0) break;
    content.append(buffer, static_cast<std::size_t>(got));
  }
  return content;
}

std::string read_input(const std::filesystem::path& path, std::uintmax_t limit) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC)};
  if (file.number < 0) throw cannot_open(path, errno);
  return read_all(file, path, limit);
}

void make_directories(const std::filesystem::path& path, Sync sync) {
  std::error_code error;
  std::vector<std::filesystem::path> missing;
  for (auto at = path; !at.empty() && !std::filesystem::exists(at, error); at = at.parent_path())
    missing.push_back(at);
  std::filesystem::create_directories(path, error);
  if (error) throw failure("create directory", path, error.value());
  if (sync == Sync::later) return;
  // A new directory is on disk only once the one that it is in is.
  for (const std::filesystem::path& made : missing) sync_directory(made.parent_path());
}

}  // namespace rhc
