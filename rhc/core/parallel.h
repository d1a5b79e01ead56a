// Work that is split over threads, with a result that does not depend on how many there are.
#pragma once

#include <functional>

namespace rhc {

// Calls work(0) .. work(count - 1), each once, on up to `threads` threads. The first exception (in
// the order of the index) is thrown again after all threads have ended.
void parallel_for(int count, int threads, const std::function<void(int)>& work);

// How many threads this machine runs at once.
int hardware_threads();

}  // namespace rhc
