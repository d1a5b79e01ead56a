// The task carried out while looking: with estimation, feedback and replanning, under noise.
#pragma once

#include "rhc/plan/task_controller.h"

namespace rhc {

// Begins with these actions at the system's start, which is known. What comes back are the true
// observations, without the noise of the sensors.
Trajectory closed_loop(const System& system, const NoiseLevels& noise, RandomStream randomness,
                       const ControlModel& model, const StateEstimate& start, const Matrix& actions,
                       const ControllerSettings& settings);

// With a model.
Trajectory closed_loop(const System& system, const NoiseLevels& noise, RandomStream randomness,
                       const DynamicsModel& model, bool stay_inside, const Matrix& actions,
                       const ControllerSettings& settings);

// What the task costs on a system that moves exactly as `truth` does, where a controller goes by
// `believed`. The sensors' noise is what that knows of.
double closed_loop_cost(const DynamicsModel& truth, const DynamicsModel& believed,
                        const SystemSpec& spec, bool stay_inside, const Vector& start,
                        const Matrix& actions, RandomStream randomness,
                        const ControllerSettings& settings);

// The mean cost over systems drawn from the posterior, each of which is in turn taken to be the
// true one, and measured with the noise that the model knows of.
double expected_closed_loop(const DynamicsModel& model, const SystemSpec& spec, bool stay_inside,
                            const Vector& start, const Matrix& actions, int draws,
                            std::uint64_t seed, const ControllerSettings& settings, int threads);

// Of plans with one model, the one of least expected cost in a closed loop, over so many systems
// drawn from the posterior.
const Plan& best_closed_loop(const std::vector<Plan>& plans, const DynamicsModel& model,
                             const System& system, bool stay_inside, int draws, std::uint64_t seed,
                             const ControllerSettings& settings, int threads);

// The least that the task can be expected to cost under this noise: the mean over `trials` with the
// true dynamics in place of a model, beginning with these actions.
double closed_loop_limit(const System& system, const NoiseLevels& noise, const Matrix& actions,
                         const ControllerSettings& settings, int trials, std::uint64_t seed,
                         int threads);

}  // namespace rhc
