// A controller and a plant that moves while it thinks: step by step in real time, until one of the
// two, or a person, has enough. Then the action at rest, before anything else.
#pragma once

#include <functional>

#include "rhc/control/controller.h"
#include "rhc/plant/live_clock.h"
#include "rhc/run/control_summary.h"
#include "rhc/store/control_log.h"

namespace rhc {

struct ControlLoopSettings {
  double period = 0.02;       // seconds between two steps
  double seconds = 60;        // for which it goes on
  double start_timeout = 60;  // seconds for the first measurement
  // Shares of a period: for so long after its beginning a measurement is waited for, the action
  // must have left by then, and so much is kept free before the next one begins.
  double late = 0.25, deadline = 0.5, margin = 0.1;
  // Steps in a row at rest because nobody knows where the system is, or without an action taken.
  int give_up_after = 25;
};

// `start`: where the task begins, which a plant without a clock of its own is asked to go to. The
// controller has been started, so that nothing moves before there is a plan. `log` may be null.
// Neither waits for anything but the plant, nor writes to a disk; the plant is left at rest, and
// open.
ControlSummary control(Controller& controller, LivePlant& plant, const LiveClock& clock,
                       const Vector& start, const ControlLoopSettings& settings, ControlLog* log,
                       const std::function<bool()>& stop_requested);

}  // namespace rhc
