#include "rhc/core/real_time_priority.h"

#include <gtest/gtest.h>

namespace rhc {
namespace {

int present_policy() {
  int policy = -1;
  sched_param parameters{};
  ::pthread_getschedparam(::pthread_self(), &policy, &parameters);
  return policy;
}

// Also where another one is asked for meanwhile.
TEST(RealTimePriority, LeavesTheThreadAsItWas) {
  const int before = present_policy();
  {
    const RealTimePriority one;
    EXPECT_EQ(one.granted(), present_policy() == SCHED_FIFO || present_policy() == SCHED_RR);
    const int meanwhile = present_policy();
    {
      const RealTimePriority other;
      EXPECT_EQ(other.granted(), one.granted());
    }
    EXPECT_EQ(present_policy(), meanwhile);
  }
  EXPECT_EQ(present_policy(), before);
}

}  // namespace
}  // namespace rhc
