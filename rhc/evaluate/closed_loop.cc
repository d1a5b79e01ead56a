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

double closed_loop_cost(const DynamicsModel& truth, const DynamicsModel& believed,
                        const SystemSpec& spec, bool stay_inside, const Vector& start,
                        const Matrix& actions, RandomStream randomness,
                        const ControllerSettings& settings) {
  const ControlByModel by_model(believed, spec, stay_inside);
  const Layout layout = layout_of(truth.shape, false);
  const PlanningModel moving = layout.lift(mean_model_of(truth));
  const MeanDynamics dynamics(moving, actions.cols());
  const Trajectory before = standing_at(start, actions.rows());
  const Vector sensor_noise = believed.sensor_noise();
  TaskController controller(by_model, by_model.known_to_be(before), actions, settings);
  Rollout rollout(layout.states(), layout.acted, moving.features(), actions.cols());
  rollout.states.col(0) = layout.first_state(before, truth.shape.action_at_rest);
  for (Index t = 0; t < actions.cols(); ++t) {
    const Vector measured = rollout.states.col(t).head(layout.observed) +
                            sensor_noise.cwiseProduct(randomness.normals(layout.observed));
    rollout.actions.col(t) = spec.action_bounds.clip(controller.step(measured));
    dynamics.step(rollout, t);
    rollout.states.col(t + 1) = rollout.next.col(t);
  }
  return spec.task.total({rollout.states.topRows(layout.observed), rollout.actions});
}

double expected_closed_loop(const DynamicsModel& model, const SystemSpec& spec, bool stay_inside,
                            const Vector& start, const Matrix& actions, int draws,
                            std::uint64_t seed, const ControllerSettings& settings, int threads) {
  const std::vector<std::vector<Matrix>> weights = model.drawn_weights(draws, seed);
  std::vector<double> costs(static_cast<std::size_t>(draws));
  parallel_for(draws, threads, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    const RandomStream randomness(seed, "expected closed loop", static_cast<std::uint64_t>(i));
    costs[at] = closed_loop_cost(model.moving_with(weights[at]), model, spec, stay_inside, start,
                                 actions, randomness, settings);
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
