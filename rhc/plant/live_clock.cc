#include "rhc/plant/live_clock.h"

#include <time.h>

#include <algorithm>
#include <memory>

namespace rhc {

namespace {

void sleep_on_machine(LiveTime until) {
  const timespec at = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
  // A signal ends it early: whoever sent it wants to be heard.
  if (until > 0) ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
}

}  // namespace

LiveClock machine_clock() { return {live_now, sleep_on_machine}; }

LiveClock simulated_clock() {
  const auto time = std::make_shared<LiveTime>(live_seconds(1));
  return {[time] { return *time; }, [time](LiveTime until) { *time = std::max(*time, until); }};
}

}  // namespace rhc
