#include "rhc/format/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

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

// A file descriptor that closes itself.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

void write_all(const Descriptor& file, std::string_view content, const std::filesystem::path& path,
               Sync sync) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.number, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw failure("write", path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (sync == Sync::now && ::fsync(file.number) != 0) throw failure("sync", path, errno);
}

}  // namespace

void write_atomically(const std::filesystem::path& path, std::string_view content, Sync sync) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    throw IoError(fmt::format("cannot write '{}': it is a directory; name a file", path.string()));
  const std::filesystem::path temporary = path.string() + std::string(kHalfWritten);
  try {
    const Descriptor file{
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (file.number < 0) throw failure("create", temporary, errno);
    write_all(file, content, path, sync);
    if (::rename(temporary.c_str(), path.c_str()) != 0) throw failure("rename to", path, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }

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

std::string read_beginning(const std::filesystem::path& path, std::uint64_t bytes) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    throw InputError(fmt::format("cannot open '{}': {}", path.string(), std::strerror(errno)));
  std::string content;
  char buffer[65536];
  while (content.size() < bytes) {
    const ssize_t got =
        ::read(file.number, buffer, std::min<std::uint64_t>(sizeof buffer, bytes - content.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw InputError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
    if (got == 0) break;
    content.append(buffer, static_cast<std::size_t>(got));
  }
  return content;
}

std::string read_text(const std::filesystem::path& path) {
  return read_beginning(path, std::numeric_limits<std::uint64_t>::max());
}

void make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw failure("create directory", path, error.value());
}

}  // namespace rhc
