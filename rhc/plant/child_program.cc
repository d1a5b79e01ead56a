#include "rhc/plant/child_program.h"

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
#include <cmath>
#include <cstring>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/plant/family.h"

namespace rhc {

namespace {

using PlantClock = std::chrono::steady_clock;

constexpr int kLookAround = 50;  // milliseconds
constexpr std::size_t kLastOutput = 1 << 16;
constexpr int kEndAll = SIGUSR1;  // to the guard: its whole family
constexpr double kGrace = 1;      // seconds between asking it to end and making it

int milliseconds_until(PlantClock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - PlantClock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kLookAround));
}

// The same to the nanosecond.
timespec time_until(PlantClock::time_point deadline) {
  constexpr std::int64_t billion = 1000000000;
  const auto left = std::chrono::nanoseconds(deadline - PlantClock::now()).count();
  const auto most = std::int64_t{kLookAround} * 1000000;
  const std::int64_t wait = std::clamp<std::int64_t>(left, 0, most);
  return {.tv_sec = wait / billion, .tv_nsec = wait % billion};
}

PlantClock::time_point in_seconds(double seconds) {
  return PlantClock::now() + std::chrono::duration_cast<PlantClock::duration>(
                                 std::chrono::duration<double>(std::min(seconds, 1e7)));
}

void close_end(int& end) {
  if (end >= 0) ::close(end);
  end = -1;
}

extern "C" void go_on_waiting(int) {}

// Between us and the shell: leads a process group of its own, so that Ctrl-C is ours alone, and
// ends all that the shell started when it is told to, or when we die, however that happens. Only
// what is safe after a fork of many threads.
[[noreturn]] void guard(const char* command, pid_t parent, int input, int output, int errors) {
  ::setpgid(0, 0);
  adopt_orphans();
  struct sigaction action {};
  action.sa_handler = go_on_waiting;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, kEndAll, SIGCHLD})
    ::sigaction(signal, &action, nullptr);
  // These two are waited for, so that none is missed.
  sigset_t awaited, before;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, kEndAll);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &awaited, &before);
  ::prctl(PR_SET_PDEATHSIG, kEndAll);
  if (::getppid() != parent) ::_exit(1);
  const pid_t shell = ::fork();
  if (shell == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::execl("/bin/sh", "sh", "-c", command, nullptr);
    ::_exit(127);
  }
  // Neither pipes nor locks may stay open because of this process.
  if (::close_range(0, ~0U, 0) != 0)
    for (int end = 0; end < 1024; ++end) ::close(end);
  for (;;) {
    if (::sigwaitinfo(&awaited, nullptr) == kEndAll) {
      end_descendants();
      ::kill(0, SIGKILL);
    }
    int status = 0;
    for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == shell) {
        end_descendants();
        ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
      }
  }
}

// Two ends that a program which is called elsewhere does not inherit.
void make_pipe(int& read, int& write) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw IoError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  // Beyond the three that the child puts its own in place of.
  for (int& end : ends)
    if (end <= STDERR_FILENO) {
      const int above = ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
      ::close(end);
      end = above;
    }
  read = ends[0];
  write = ends[1];
}

// A pipe whose reader is gone answers a write with a signal that would end this process.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    const timespec none{};
    if (!sigismember(&before_, SIGPIPE))
      while (::sigtimedwait(&pipe_, nullptr, &none) < 0 && errno == EINTR) {
      }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

}  // namespace

ChildProgram::ChildProgram(const std::string& command, std::function<void(std::string_view)> heard)
    : heard_(std::move(heard)) {
  int input = -1, output = -1, errors = -1;
  try {
    make_pipe(input, input_);
    make_pipe(output_, output);
    make_pipe(errors_, errors);
    const pid_t parent = ::getpid();
    guardian_ = ::fork();
    if (guardian_ == 0) guard(command.c_str(), parent, input, output, errors);
    if (guardian_ < 0)
      throw IoError(fmt::format("cannot make a process: {}", std::strerror(errno)));
  } catch (const IoError&) {
    for (int* end : {&input, &input_, &output, &output_, &errors, &errors_}) close_end(*end);
    throw;
  }
  ::setpgid(guardian_, guardian_);  // whoever of the two comes first
  for (int* end : {&input, &output, &errors}) close_end(*end);
  for (const int end : {input_, output_, errors_}) ::fcntl(end, F_SETFL, O_NONBLOCK);
  // It may complain for long while we think.
  ::fcntl(errors_, F_SETPIPE_SZ, 1 << 20);
}

ChildProgram::~ChildProgram() {
  end_at_once();
  for (int* end : {&input_, &output_, &errors_}) close_end(*end);
}

std::string ChildProgram::unasked() {
  read_errors();
  read_output();
  return read_;
}

Answer ChildProgram::ask(std::string_view line, double seconds,
                         const std::function<void()>& meanwhile) {
  to_write_ = std::string(line) + "\n";
  return wait(in_seconds(seconds), meanwhile);
}

void ChildProgram::send(std::string_view line) {
  to_write_ += line;
  to_write_ += '\n';
  write_input();
}

Answer ChildProgram::wait(std::int64_t until_ns, const std::function<void()>& meanwhile) {
  return wait(PlantClock::time_point(std::chrono::nanoseconds(until_ns)), meanwhile);
}

Answer ChildProgram::wait(PlantClock::time_point deadline, const std::function<void()>& meanwhile) {
  for (bool open = true, looked = false;; looked = true) {
    if (const auto end = read_.find('\n'); end != std::string::npos && end <= kLongestLine) {
      Answer answer{Answer::line, read_.substr(0, end)};
      read_.erase(0, end + 1);
      return answer;
    }
    if (read_.size() > kLongestLine) return {Answer::too_long, read_};
    if (!open) return {Answer::closed, read_};
    const timespec left = time_until(deadline);
    if (looked && left.tv_sec == 0 && left.tv_nsec == 0) return {Answer::timeout, read_};
    meanwhile();
    pollfd ends[3] = {
        {output_, POLLIN, 0}, {errors_, POLLIN, 0}, {to_write_.empty() ? -1 : input_, POLLOUT, 0}};
    ::ppoll(ends, 3, &left, nullptr);
    write_input();
    read_errors();
    open = read_output();
  }
}

std::optional<std::string> ChildProgram::ended() {
  if (!code_ && !wait_for_end(0.3)) return std::nullopt;
  read_errors();
  if (*code_ <= 128) return fmt::format("exit code {}", *code_);
  return fmt::format("signal {} ({})", *code_ - 128, ::strsignal(*code_ - 128));
}

void ChildProgram::close(std::string_view line, double seconds) {
  to_write_ = std::string(line) + "\n";
  write_input();
  close_end(input_);
  wait_for_end(seconds);
  stop();
}

void ChildProgram::stop() {
  close_end(input_);
  // Where /proc cannot be read, the group is what can be reached.
  if (guardian_ > 0 && signal_descendants(guardian_, SIGTERM) == 0) ::kill(-guardian_, SIGTERM);
  if (!wait_for_end(kGrace)) end_at_once();
  read_errors();
}

// By its guard, who knows the whole family; where that hangs, by force.
void ChildProgram::end_at_once() {
  if (guardian_ > 0) ::kill(guardian_, kEndAll);
  if (wait_for_end(2 * kGrace)) return;
  ::kill(-guardian_, SIGKILL);
  while (::waitpid(guardian_, nullptr, 0) < 0 && errno == EINTR) {
  }
  guardian_ = -1;
}

// Also takes what it started and left behind; what it says meanwhile is heard.
bool ChildProgram::wait_for_end(double seconds) {
  const auto deadline = in_seconds(seconds);
  while (guardian_ > 0) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(guardian_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == guardian_) {
      // Its number is not given to another before it is waited for: the group is still its own.
      ::kill(-guardian_, SIGKILL);
      ::waitpid(guardian_, nullptr, 0);
      code_ = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
      guardian_ = -1;
      break;
    }
    const int wait = milliseconds_until(deadline);
    if (wait == 0) return false;
    pollfd errors{errors_, POLLIN, 0};
    ::poll(&errors, 1, std::min(wait, 2));
    read_errors();
    // Its last lines count; one that writes without end must not be kept waiting for a reader.
    if (read_.size() > kLongestLine) read_.erase(0, read_.size() - kLastOutput);
    read_output();
  }
  return true;
}

void ChildProgram::write_input() {
  if (to_write_.empty() || input_ < 0) return;
  const WithoutPipeSignal guarded;
  const ssize_t written = ::write(input_, to_write_.data(), to_write_.size());
  if (written > 0) to_write_.erase(0, static_cast<std::size_t>(written));
  // Nobody reads any more: why, its output will tell.
  if (written < 0 && errno != EAGAIN && errno != EINTR) to_write_.clear();
}

bool ChildProgram::read_output() {
  char buffer[65536];
  while (output_ >= 0 && read_.size() <= kLongestLine) {
    const ssize_t got = ::read(output_, buffer, sizeof buffer);
    if (got > 0)
      read_.append(buffer, static_cast<std::size_t>(got));
    else if (got < 0 && errno == EINTR)
      continue;
    else if (got < 0 && errno == EAGAIN)
      return true;
    else
      close_end(output_);
  }
  return output_ >= 0;
}

void ChildProgram::read_errors() {
  char buffer[65536];
  // Not for ever, where it complains faster than we read.
  for (int i = 0; i < 64 && errors_ >= 0; ++i) {
    const ssize_t got = ::read(errors_, buffer, sizeof buffer);
    if (got > 0)
      heard_({buffer, static_cast<std::size_t>(got)});
    else if (got < 0 && errno == EINTR)
      continue;
    else if (got < 0 && errno == EAGAIN)
      return;
    else
      close_end(errors_);
  }
}

}  // namespace rhc
