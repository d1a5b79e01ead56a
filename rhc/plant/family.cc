#include "rhc/plant/family.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <string_view>

namespace rhc {

namespace {

constexpr int kMostGenerations = 1000;  // more is a loop of numbers that were given anew
constexpr int kLooks = 200;             // of end_descendants, one every kPause
constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 5000000};

// As /proc/N/stat has it: N (name) state parent ...; 0 where there is none.
pid_t parent_of(pid_t process) {
  char path[32] = "/proc/";
  char* end = std::to_chars(path + 6, path + 20, process).ptr;
  std::memcpy(end, "/stat", 6);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[512];
  const ssize_t got = ::read(file, text, sizeof text);
  ::close(file);
  const std::string_view stat(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  // A name may hold anything, also a bracket.
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 >= stat.size()) return 0;
  pid_t parent = 0;
  std::from_chars(stat.data() + name_end + 4, stat.data() + stat.size(), parent);
  return parent;
}

bool descends(pid_t process, pid_t ancestor) {
  for (int i = 0; i < kMostGenerations && process > 1; ++i) {
    process = parent_of(process);
    if (process == ancestor) return true;
  }
  return false;
}

}  // namespace

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

int signal_descendants(pid_t ancestor, int signal) {
  const int proc = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return 0;
  int count = 0;
  alignas(dirent64) char entries[4096];
  for (ssize_t size; (size = ::getdents64(proc, entries, sizeof entries)) > 0;)
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      const char* name_end = entry->d_name + std::strlen(entry->d_name);
      pid_t process = 0;
      const auto read = std::from_chars(entry->d_name, name_end, process);
      if (read.ec != std::errc() || read.ptr != name_end || !descends(process, ancestor)) continue;
      ++count;
      ::kill(process, signal);
    }
  ::close(proc);
  return count;
}

void end_descendants() {
  for (int i = 0; i < kLooks; ++i) {
    // Looked for again and again: one that is killed may have made another just before.
    signal_descendants(::getpid(), SIGKILL);
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    ::nanosleep(&kPause, nullptr);
  }
}

}  // namespace rhc
