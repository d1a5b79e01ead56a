#include "rhc/evaluate/closed_loop.h"

#include <numeric>
#include <vector>

#include "rhc/core/parallel.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/plan_over_draws.h"

namespace rhc {

Trajectory closed_loop(const System& system, const NoiseLevels& noise, RandomStream randomness,
                       const ControlModel& model, const StateEstimate& start, const Matrix& actions,
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
  const StateEstimate start =
      by_model.known_to_be(standing_at(system.observe(spec.start), actions.rows()));
  return closed_loop(system, noise, randomness, by_model, start, actions, settings);
}

double expected_closed_loop(const DynamicsModel& model, const SystemSpec& spec, bool stay_inside,
                            const Vector& start, const Matrix& actions, int draws,
                            std::uint64_t seed, const ControllerSettings& settings, int threads) {
  const ControlByModel by_model(model, spec, stay_inside);
  const Layout layout = layout_of(model.shape, false);
  const Trajectory before = standing_at(start, actions.rows());
  const std::vector<std::vector<Matrix>> weights = model.drawn_weights(draws, seed);
  const Vector sensor_noise = model.sensor_noise();
  std::vector<double> costs(static_cast<std::size_t>(draws));
  parallel_for(draws, threads, [&](int i) {
    const PlanningModel drawn = with_weights(model, weights[static_cast<std::size_t>(i)], layout);
    const MeanDynamics dynamics(drawn, actions.cols());
    RandomStream randomness(seed, "expected closed loop", static_cast<std::uint64_t>(i));
    TaskController controller(by_model, by_model.known_to_be(before), actions, settings);
    Rollout truth(layout.states(), layout.acted, drawn.features(), actions.cols());
    truth.states.col(0) = layout.first_state(before, model.shape.action_at_rest);
    for (Index t = 0; t < actions.cols(); ++t) {
      const Vector measured = truth.states.col(t).head(layout.observed) +
                              sensor_noise.cwiseProduct(randomness.normals(layout.observed));
      truth.actions.col(t) = spec.action_bounds.clip(controller.step(measured));
      dynamics.step(truth, t);
      truth.states.col(t + 1) = truth.next.col(t);
    }
    costs[static_cast<std::size_t>(i)] =
        spec.task.total({truth.states.topRows(layout.observed), truth.actions});
  });
  return std::accumulate(costs.begin(), costs.end(), 0.0) / draws;
}

const Plan& best_closed_loop(const std::vector<Plan>& plans, const DynamicsModel& model,
                             const System& system, bool stay_inside, int draws, std::uint64_t seed,
                             const ControllerSettings& settings, int threads) {
  if (plans.size() == 1) return plans[0];
  const SystemSpec& spec = system.spec();
  const Vector start = system.observe(spec.start);
  std::size_t best = 0;
  double least = kInfinity;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const double cost = expected_closed_loop(model, spec, stay_inside, start, plans[i].actions,
                                             draws, seed, settings, threads);
    if (!(cost < least)) continue;
    least = cost;
    best = i;
  }
  return plans[best];
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
    costs[static_cast<std::size_t>(i)] = spec.task.total(closed_loop(
        system, noise, randomness, truth, {spec.start, Matrix::Zero(nx, nx)}, actions, settings));
  });
  return std::accumulate(costs.begin(), costs.end(), 0.0) / trials;
}

}  // namespace rhc
