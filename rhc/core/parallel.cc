#include "rhc/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace rhc {

namespace {

constexpr std::chrono::milliseconds kBetweenQuestions{50};

}  // namespace

void parallel_for(int count, int threads, const std::function<void(int)>& work) {
  parallel_for(count, threads, StopSignal(), work);
}

void parallel_for(int count, int threads, const StopSignal& stop,
                  const std::function<void(int)>& work) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(std::max(count, 0)));
  std::atomic<int> next{0};
  const auto worker = [&] {
    for (int i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[static_cast<std::size_t>(i)] = std::current_exception();
      }
    }
  };

  {
    std::mutex mutex;
    std::condition_variable one_less;
    int helping = std::max(0, std::min(threads, count) - 1);
    std::vector<std::jthread> helpers;
    for (int i = helping; i > 0; --i)
      helpers.emplace_back([&] {
        worker();
        const std::lock_guard guard(mutex);
        --helping;
        one_less.notify_one();
      });
    worker();
    std::unique_lock lock(mutex);
    while (!one_less.wait_for(lock, kBetweenQuestions, [&] { return helping == 0; })) stop.ask();
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

int hardware_threads() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace rhc
