#include "rhc/evaluate/test_set.h"

#include <fmt/format.h>

#include <cmath>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"

namespace rhc {

namespace {

// Seed of everything that must not depend on a run's own seed.
constexpr std::uint64_t kSeed = 0;
constexpr int kMostTries = 10000;

// One trajectory inside the limits, from the streams (purpose, index).
Trajectory draw_trajectory(const System& system, const NoiseLevels& noise, int steps,
                           const std::string& purpose, int index) {
  const SystemSpec& spec = system.spec();
  RandomStream randomness(kSeed, purpose, static_cast<std::uint64_t>(index));
  SimulatedPlant plant(system, noise,
                       RandomStream(kSeed, purpose + " noise", static_cast<std::uint64_t>(index)));
  Trajectory trajectory{Matrix(spec.outputs(), steps + 1),
                        Matrix(static_cast<Index>(spec.action.size()), steps)};
  for (int tries = 0; tries < kMostTries; ++tries) {
    trajectory.observations.col(0) = plant.reset(randomness.uniform_in(spec.region));
    bool inside = spec.limits.contains(trajectory.observations.col(0));
    for (int t = 0; t < steps && inside; ++t) {
      trajectory.actions.col(t) = randomness.uniform_in(spec.action_bounds);
      trajectory.observations.col(t + 1) = plant.step(trajectory.actions.col(t));
      inside = spec.limits.contains(trajectory.observations.col(t + 1));
    }
    if (inside) return trajectory;
  }
  throw InputError(fmt::format(
      "system '{}': none of {} random trajectories of {} steps stayed inside the limits; "
      "narrow region, widen the limits or set test_steps lower",
      spec.name, kMostTries, steps));
}

}  // namespace

TestSet draw_test_set(const System& system, const NoiseLevels& noise, int count, int steps,
                      int threads) {
  const SystemSpec& spec = system.spec();
  TestSet set;
  set.observations.assign(static_cast<std::size_t>(steps) + 1, Matrix(spec.outputs(), count));
  set.actions.assign(static_cast<std::size_t>(steps),
                     Matrix(static_cast<Index>(spec.action.size()), count));

  constexpr int kChunk = 256;
  parallel_for((count + kChunk - 1) / kChunk, threads, [&](int chunk) {
    for (int i = chunk * kChunk; i < std::min(count, (chunk + 1) * kChunk); ++i) {
      const Trajectory trajectory = draw_trajectory(system, noise, steps, "test set", i);
      for (int t = 0; t <= steps; ++t)
        set.observations[static_cast<std::size_t>(t)].col(i) = trajectory.observations.col(t);
      for (int t = 0; t < steps; ++t)
        set.actions[static_cast<std::size_t>(t)].col(i) = trajectory.actions.col(t);
    }
  });

  Vector mean = Vector::Zero(spec.outputs()), square = mean;
  for (std::size_t t = 0; t < set.actions.size(); ++t)
    mean += (set.observations[t + 1] - set.observations[t]).rowwise().sum();
  mean /= static_cast<double>(count) * steps;
  for (std::size_t t = 0; t < set.actions.size(); ++t)
    square +=
        ((set.observations[t + 1] - set.observations[t]).colwise() - mean).rowwise().squaredNorm();
  set.output_scale = (square / (static_cast<double>(count) * steps)).cwiseSqrt();
  // An output that never changes is predicted in its own units.
  set.output_scale = set.output_scale.unaryExpr([](double s) { return s > 0 ? s : 1.0; });
  return set;
}

Transitions draw_uniform_transitions(const System& system, const NoiseLevels& noise, int count) {
  std::vector<Transitions> steps;
  steps.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    steps.push_back(transitions_of(draw_trajectory(system, noise, 1, "uniform transitions", i),
                                   system.spec().limits));
  return concatenate(steps);
}

}  // namespace rhc
