#include "python/signals.h"

#include <nanobind/nanobind.h>

#include <chrono>

namespace rhc::python {

namespace {

using Clock = std::chrono::steady_clock;
constexpr Clock::duration kInterval = std::chrono::milliseconds(50);

}  // namespace

std::function<bool()> signal_heard() {
  return [next = Clock::now() + kInterval]() mutable {
    if (Clock::now() < next) return false;
    next = Clock::now() + kInterval;
    const nanobind::gil_scoped_acquire python;
    return PyErr_CheckSignals() != 0;
  };
}

}  // namespace rhc::python
