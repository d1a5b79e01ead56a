#include "rhc/plant/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
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

using Moment = std::chrono::steady_clock::time_point;

// As `poll` wants it: -1 is for ever.
int poll_time_until(const std::optional<Moment>& end) {
  if (!end) return -1;
  const auto left = *end - std::chrono::steady_clock::now();
  return static_cast<int>(std::clamp<long long>(
      std::chrono::ceil<std::chrono::milliseconds>(left).count(), 0, 1000000000));
}

// Both at once: a program that fills one pipe while nobody reads it would wait for ever. False
// where the time was over before the program closed them.
bool read_both(Pipe& out, Pipe& err, ProcessResult& result, const std::optional<Moment>& end) {
  pollfd ends[2] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  char buffer[65536];
  for (int open = 2; open > 0;) {
    const int ready = ::poll(ends, 2, poll_time_until(end));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) break;
    if (ready == 0) return false;
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
  return true;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, std::optional<double> seconds) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Pipe out, err;
  const pid_t child = ::fork();
  if (child < 0) throw IoError(fmt::format("cannot make a process: {}", std::strerror(errno)));
  if (child == 0) {
    if (seconds) {
      // A group of its own can be killed as a whole, but no longer hears the Ctrl-C of a terminal.
      ::setpgid(0, 0);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
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
  std::optional<Moment> end;
  if (seconds)
    end = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::milliseconds>(
                                                 std::chrono::duration<double>(*seconds));
  const auto end_it = [&] {
    result.out_of_time = true;
    if (::kill(-child, SIGKILL) != 0) ::kill(child, SIGKILL);
  };
  if (!read_both(out, err, result, end)) end_it();
  int status = 0;
  while (true) {
    const bool in_time = end && !result.out_of_time;
    const pid_t ended = ::waitpid(child, &status, in_time ? WNOHANG : 0);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    // It closed its pipes, but goes on.
    if (ended == 0 && poll_time_until(end) == 0)
      end_it();
    else if (ended == 0)
      ::usleep(10000);
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
