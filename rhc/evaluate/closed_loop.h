// The task carried out while looking: with estimation, feedback and replanning, under noise.
#pragma once

#include "rhc/plan/task_controller.h"

namespace rhc {

// Begins with these actions at the system's start, which is known. What comes back are the true
// observations, without the noise of the sensors.
Trajectory closed_loop(const System& system, const NoiseLevels& noise, RandomStream randomness,
                       const ControlModel& model, const Estimate& start, const Matrix& actions,
                       const ControllerSettings& settings);

// With a model.
Trajectory closed_loop(const System& system, const NoiseLevels& noise, RandomStream randomness,
                       const DynamicsModel& model, bool stay_inside, const Matrix& actions,
                       const ControllerSettings& settings);

// The least that the task can be expected to cost under this noise: the mean over `trials` with the
// true dynamics in place of a model, beginning with these actions.
double closed_loop_limit(const System& system, const NoiseLevels& noise, const Matrix& actions,
                         const ControllerSettings& settings, int trials, std::uint64_t seed,
                         int threads);

}  // namespace rhc
