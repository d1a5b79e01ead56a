#include "rhc/core/stop_signal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"

namespace rhc {
namespace {

TEST(StopSignal, OfNobodyNeverStops) {
  EXPECT_NO_THROW(StopSignal().check());
  EXPECT_NO_THROW(StopSignal(std::function<bool()>()).check());
}

TEST(StopSignal, IsHeardByItsCopiesAndStays) {
  bool wished = false;
  const StopSignal stop([&] { return wished; });
  const StopSignal copy = stop;
  EXPECT_NO_THROW(copy.check());
  wished = true;
  EXPECT_NO_THROW(stop.ask());
  wished = false;
  EXPECT_THROW(copy.check(), Interrupted);
}

TEST(StopSignal, IsAskedByItsOwnThreadAlone) {
  std::atomic<int> asked = 0;
  const StopSignal stop([&] {
    ++asked;
    return true;
  });
  std::jthread([&] { EXPECT_NO_THROW(stop.check()); }).join();
  EXPECT_EQ(asked, 0);
  EXPECT_THROW(stop.check(), Interrupted);
  std::jthread([&] { EXPECT_THROW(stop.check(), Interrupted); }).join();
  EXPECT_EQ(asked, 1);
}

// Its own work is done at once; without its questions the other would never end.
TEST(StopSignal, IsAskedWhileTheThreadThatCallsWaitsForOthers) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> other_works = false;
  const StopSignal stop([&] { return other_works.load(); });
  EXPECT_THROW(parallel_for(2, 2, stop,
                            [&](int) {
                              if (std::this_thread::get_id() == caller) {
                                while (!other_works) std::this_thread::yield();
                                return;
                              }
                              other_works = true;
                              for (;;) stop.check();
                            }),
               Interrupted);
}

}  // namespace
}  // namespace rhc
