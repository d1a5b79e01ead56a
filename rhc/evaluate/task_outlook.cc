#include "rhc/evaluate/task_outlook.h"

#include <algorithm>
#include <cmath>

#include "rhc/core/parallel.h"

namespace rhc {

std::optional<TaskOutlook> task_outlook(const DynamicsModel& model, const System& system,
                                        bool stay_inside, const PlannerSettings& settings,
                                        const ControllerSettings& controller, int draws) {
  const SystemSpec& spec = system.spec();
  if (!spec.task.weighs()) return std::nullopt;
  const Vector start = system.observe(spec.start);
  const Plan best = plan_task(model, system, stay_inside, 0, settings);
  if (best.status == PlanStatus::failed) return std::nullopt;

  // From that plan alone: what a wider search finds is not owed to knowledge.
  PlannerSettings nearby = settings;
  nearby.starts = nearby.hops = 0;
  nearby.threads = 1;
  const std::vector<std::vector<Matrix>> weights = model.drawn_weights(draws, settings.seed);
  struct Costs {
    double unaware, aware;
  };
  std::vector<Costs> costs(weights.size());
  parallel_for(draws, settings.threads, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    // Who knows everything does not doubt it.
    DynamicsModel possible = model.moving_with(weights[at]);
    possible.weight_draws = {weights[at]};
    const Plan wise = plan_task(possible, system, stay_inside, 0, nearby, {best.actions});
    // Both meet the same noise.
    const RandomStream noise(settings.seed, "possible systems", static_cast<std::uint64_t>(i));
    const auto cost = [&](const DynamicsModel& believed, const Matrix& actions) {
      return closed_loop_cost(possible, believed, spec, stay_inside, start, actions, noise,
                              controller);
    };
    costs[at] = {cost(model, best.actions),
                 wise.status == PlanStatus::failed ? kInfinity : cost(possible, wise.actions)};
  });

  TaskOutlook outlook{.predicted = best.objective, .expected = 0, .gain = 0};
  int counted = 0;
  for (const auto& [unaware, aware] : costs) {
    if (!std::isfinite(unaware) || !std::isfinite(aware)) continue;
    outlook.expected += unaware;
    outlook.gain += std::max(0.0, unaware - aware);
    ++counted;
  }
  if (counted == 0) return std::nullopt;
  outlook.expected /= counted;
  outlook.gain /= counted;
  return outlook;
}

}  // namespace rhc
