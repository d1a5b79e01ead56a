#include "rhc/evaluate/closed_loop.h"

#include <numeric>
#include <vector>

#include "rhc/core/parallel.h"

namespace rhc {

Trajectory closed_loop(const System& system, const NoiseLevels& noise, RandomStream randomness,
                       const ControlModel& model, const Estimate& start, const Matrix& actions,
                       const ControllerSettings& settings) {
  const SystemSpec& spec = system.spec();
  SimulatedPlant plant(system, noise, randomness);
  TaskController controller(model, start, actions, settings);
  Trajectory truth{Matrix(spec.outputs(), actions.cols() + 1), actions};
  Vector measured = plant.reset(spec.start);
  truth.observations.col(0) = system.observe(plant.state());
  for (Index t = 0; t < actions.cols(); ++t) {
    truth.actions.col(t) = spec.action_bounds.clip(controller.step(measured));
    measured = plant.step(truth.actions.col(t));
    truth.observations.col(t + 1) = system.observe(plant.state());
  }
  return truth;
}

Trajectory closed_loop(const System& system, const NoiseLevels& noise, RandomStream randomness,
                       const DynamicsModel& model, bool stay_inside, const Matrix& actions,
                       const ControllerSettings& settings) {
  const SystemSpec& spec = system.spec();
  const ControlByModel by_model(model, spec, stay_inside);
  const Estimate start =
      by_model.known_to_be(standing_at(system.observe(spec.start), actions.rows()));
  return closed_loop(system, noise, randomness, by_model, start, actions, settings);
}

double closed_loop_limit(const System& system, const NoiseLevels& noise, const Matrix& actions,
                         const ControllerSettings& settings, int trials, std::uint64_t seed,
                         int threads) {
  const SystemSpec& spec = system.spec();
  const ControlByTruth truth(system, noise);
  const Index nx = spec.start.size();
  std::vector<double> costs(static_cast<std::size_t>(trials));
  parallel_for(trials, threads, [&](int i) {
    const RandomStream randomness(seed, "closed loop limit", static_cast<std::uint64_t>(i));
    costs[static_cast<std::size_t>(i)] =
        spec.task.total(closed_loop(system, noise, randomness, truth,
                                    {spec.start, Matrix::Zero(nx, nx)}, actions, settings));
  });
  return std::accumulate(costs.begin(), costs.end(), 0.0) / trials;
}

}  // namespace rhc
