// The time in which a controller lives: that of the machine, or one that passes only while it is
// waited for, in which thinking costs nothing.
#pragma once

#include <functional>

#include "rhc/plant/live_plant.h"

namespace rhc {

struct LiveClock {
  std::function<LiveTime()> now;
  std::function<void(LiveTime)> sleep_until;
};

LiveClock machine_clock();
LiveClock simulated_clock();

}  // namespace rhc
