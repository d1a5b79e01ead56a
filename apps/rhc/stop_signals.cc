#include "apps/rhc/stop_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace rhc::app {

namespace {

volatile sig_atomic_t heard = 0;

constexpr int kStops[] = {SIGINT, SIGTERM, SIGHUP};

bool was_terminal[STDERR_FILENO + 1] = {};  // a closed one answers no questions

// Nobody sees any more what goes to a terminal that was closed, and writing there is an error.
void leave_the_terminal() {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int end : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (nowhere >= 0 && was_terminal[end]) ::dup2(nowhere, end);
  if (nowhere > STDERR_FILENO) ::close(nowhere);
}

extern "C" void on_signal(int signal) {
  const int before = errno;
  heard = heard + 1;
  if (signal == SIGHUP) leave_the_terminal();
  errno = before;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {
  }, present{};
  // `nohup` asked for no end by this one.
  if (::sigaction(signal, nullptr, &present) == 0 && signal == SIGHUP &&
      present.sa_handler == SIG_IGN)
    return;
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  // Neither disturbs the counting of the other.
  for (const int other : kStops) ::sigaddset(&action.sa_mask, other);
  ::sigaction(signal, &action, nullptr);
}

void handle(void (*handler)(int)) {
  for (const int signal : kStops) handle(signal, handler);
}

void look_for_terminals() {
  for (const int end : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    was_terminal[end] = ::isatty(end) == 1;
}

// A terminal that closes may say so twice, to its shell and to us; only a person is impatient.
extern "C" void on_first_signal(int signal) {
  on_signal(signal);
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
  handle(SIGHUP, on_signal);
}

}  // namespace

void count_stop_signals() {
  look_for_terminals();
  handle(on_signal);
}

void count_first_stop_signal() {
  look_for_terminals();
  handle(on_first_signal);
}

int stop_signals_heard() { return heard; }

bool release_stop_signals() {
  // Held back meanwhile: none comes between the question and its answer.
  sigset_t stops, before;
  ::sigemptyset(&stops);
  for (const int signal : kStops) ::sigaddset(&stops, signal);
  ::sigprocmask(SIG_BLOCK, &stops, &before);
  const bool none = heard == 0;
  if (none) handle(SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return none;
}

}  // namespace rhc::app
