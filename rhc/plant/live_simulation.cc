#include "rhc/plant/live_simulation.h"

#include <utility>

namespace rhc {

LiveSimulation::LiveSimulation(const System& system, NoiseLevels noise, RandomStream randomness,
                               LiveClock clock, LiveTime period)
    : plant_(system, std::move(noise), randomness),
      clock_(std::move(clock)),
      period_(period),
      limits_(system.spec().limits),
      action_(action_at_rest(system.spec())) {}

void LiveSimulation::begin(const Vector& start) {
  measured_ = plant_.reset(start);
  due_ = clock_.now();
  begun_ = true;
}

bool LiveSimulation::send(const Vector& action) {
  action_ = action;
  return true;
}

Heard LiveSimulation::wait(LiveTime until, Vector& observation) {
  if (due_ > until) {
    clock_.sleep_until(until);
    return {};
  }
  clock_.sleep_until(due_);
  if (clock_.now() < due_) return {};  // somebody wants to be heard
  const auto measure = [&] {
    if (!begun_) measured_ = plant_.step(action_);
    begun_ = false;
    due_ += period_;
  };
  measure();
  // Who looks too seldom sees the newest.
  for (const LiveTime now = clock_.now(); due_ <= now; ++dropped_.superseded) measure();
  observation = measured_;
  return {.kind = Heard::measured, .at = due_ - period_, .ended = !limits_.contains(measured_)};
}

}  // namespace rhc
