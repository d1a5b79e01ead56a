#include "apps/rhc/stop_signals.h"

#include <signal.h>

namespace rhc::app {

namespace {

volatile sig_atomic_t heard = 0;

extern "C" void on_signal(int) { heard = heard + 1; }

constexpr int kStops[] = {SIGINT, SIGTERM};

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  // Neither disturbs the counting of the other.
  for (const int signal : kStops) ::sigaddset(&action.sa_mask, signal);
  for (const int signal : kStops) ::sigaction(signal, &action, nullptr);
}

extern "C" void on_first_signal(int) {
  on_signal(0);
  handle(SIG_DFL);
}

}  // namespace

void count_stop_signals() { handle(on_signal); }

void count_first_stop_signal() { handle(on_first_signal); }

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
