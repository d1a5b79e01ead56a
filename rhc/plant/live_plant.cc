#include "rhc/plant/live_plant.h"

#include <time.h>

namespace rhc {

LiveTime live_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return LiveTime{time.tv_sec} * 1000000000 + time.tv_nsec;
}

}  // namespace rhc
