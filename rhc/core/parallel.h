// Work that is split over threads, with a result that does not depend on how many there are.
#pragma once

#include <functional>

#include "rhc/core/stop_signal.h"

namespace rhc {

// Calls work(0) .. work(count - 1), each once, on up to `threads` threads. The first exception (in
// the order of the index) is thrown again after all threads have ended.
void parallel_for(int count, int threads, const std::function<void(int)>& work);

// The same, where somebody may wish to stop: the thread that calls asks also while it waits for the
// others, which check.
void parallel_for(int count, int threads, const StopSignal& stop,
                  const std::function<void(int)>& work);

// How many threads this machine runs at once.
int hardware_threads();

}  // namespace rhc
