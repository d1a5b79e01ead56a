#include "rhc/plant/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "rhc/core/error.h"

namespace rhc {

namespace {

struct Pipe {
  int read = -1, write = -1;

  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw IoError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

// Both at once: a program that fills one pipe while nobody reads it would wait for ever.
void read_both(Pipe& out, Pipe& err, ProcessResult& result) {
  pollfd ends[2] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  char buffer[65536];
  for (int open = 2; open > 0;) {
    if (::poll(ends, 2, -1) < 0 && errno != EINTR) break;
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || !(ends[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      const ssize_t got = ::read(ends[i].fd, buffer, sizeof buffer);
      if (got > 0) texts[i]->append(buffer, static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) {
        ends[i].fd = -1;
        --open;
      }
    }
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Pipe out, err;
  const pid_t child = ::fork();
  if (child < 0) throw IoError(fmt::format("cannot make a process: {}", std::strerror(errno)));
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    if (nothing > STDERR_FILENO) ::close(nothing);
    ::dup2(out.write, STDOUT_FILENO);
    ::dup2(err.write, STDERR_FILENO);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  Pipe::close_end(out.write);
  Pipe::close_end(err.write);
  ProcessResult result{};
  read_both(out, err, result);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string own_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw IoError("cannot find out which program this is: " + error.message());
  if (!std::filesystem::exists(path, error))
    throw IoError(
        fmt::format("'{}' is this program, but its file was replaced since it began; start "
                    "the new one",
                    path.string()));
  return path.string();
}

}  // namespace rhc
