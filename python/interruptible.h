// Plans that Ctrl-C ends.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "rhc/plan/objective.h"

namespace rhc::python {

// Asked by every thread of a plan. The one that called looks for signals now and then; where Python
// has raised something for one, all throw Interrupted.
class Signals {
 public:
  Signals();
  void look();

 private:
  const std::thread::id caller_;
  std::chrono::steady_clock::time_point next_;  // for the caller alone
  std::atomic<bool> stop_{false};
};

// The objective, asking for signals at every step of the search.
std::unique_ptr<Objective> interruptible(std::unique_ptr<Objective> objective, Signals& signals);

}  // namespace rhc::python
