// A simulated system as a plant that moves while one thinks: it makes a step in every period of a
// clock, with the action that it was sent last.
#pragma once

#include "rhc/plant/live_clock.h"
#include "rhc/plant/live_plant.h"
#include "rhc/system/plant.h"

namespace rhc {

class LiveSimulation final : public LivePlant {
 public:
  // `period`: of the clock, for a time step of the system.
  LiveSimulation(const System& system, NoiseLevels noise, RandomStream randomness, LiveClock clock,
                 LiveTime period);

  void begin(const Vector& start) override;
  bool send(const Vector& action) override;
  Heard wait(LiveTime until, Vector& observation) override;
  void rest(const Vector& action) override { action_ = action; }
  void close() override {}

  const Vector& state() const { return plant_.state(); }  // the true one

 private:
  SimulatedPlant plant_;
  LiveClock clock_;
  const LiveTime period_;
  const Box limits_;  // where an observation outside ends the episode
  LiveTime due_ = 0;  // of the next measurement
  bool begun_ = false;
  Vector action_, measured_;
};

}  // namespace rhc
