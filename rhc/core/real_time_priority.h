// Before all that can wait: a thread that must not be late.
#pragma once

#include <pthread.h>

namespace rhc {

// While it lives, this thread runs before every thread of usual priority, where the system allows
// that: to root, or by `ulimit -r`.
class RealTimePriority {
 public:
  RealTimePriority();
  ~RealTimePriority();
  RealTimePriority(const RealTimePriority&) = delete;
  RealTimePriority& operator=(const RealTimePriority&) = delete;

  bool granted() const { return granted_; }

 private:
  int policy_ = -1;  // to go back to; -1: nothing was changed
  sched_param before_{};
  bool granted_ = false;
};

}  // namespace rhc
