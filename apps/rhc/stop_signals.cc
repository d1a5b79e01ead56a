#include "apps/rhc/stop_signals.h"

#include <csignal>

namespace rhc::app {

void release_stop_signals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

namespace {

volatile std::sig_atomic_t heard = 0, allowed = 1;

extern "C" void on_signal(int) {
  heard = heard + 1;
  if (heard >= allowed) release_stop_signals();
}

}  // namespace

void catch_stop_signals(int most) {
  allowed = most;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

int stop_signals_heard() { return heard; }

}  // namespace rhc::app
