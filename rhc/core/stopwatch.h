// Seconds of work, by a clock that never goes back.
#pragma once

#include <time.h>

#include <chrono>

namespace rhc {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Of this process so far, on all cores, and of this thread alone.
inline double cpu_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
inline double thread_cpu_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace rhc
