#include "rhc/core/real_time_priority.h"

namespace rhc {

namespace {

// Low among those of real time: drivers and watchdogs go first.
constexpr int kPriority = 10;

}  // namespace

RealTimePriority::RealTimePriority() {
  int policy = 0;
  if (::pthread_getschedparam(::pthread_self(), &policy, &before_) != 0) return;
  granted_ = policy == SCHED_FIFO || policy == SCHED_RR;
  // Whoever was given a priority by a person keeps it.
  if (policy != SCHED_OTHER) return;
  const sched_param wanted = {.sched_priority = kPriority};
  granted_ = ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &wanted) == 0;
  if (granted_) policy_ = policy;
}

RealTimePriority::~RealTimePriority() {
  if (policy_ >= 0) ::pthread_setschedparam(::pthread_self(), policy_, &before_);
}

}  // namespace rhc
