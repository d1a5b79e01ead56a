#include "rhc/evaluate/task_outlook.h"

#include <algorithm>
#include <cmath>

#include "rhc/model/forecast.h"

namespace rhc {

std::optional<TaskOutlook> task_outlook(const DynamicsModel& model, const System& system,
                                        bool stay_inside, const PlannerSettings& settings,
                                        int draws) {
  const SystemSpec& spec = system.spec();
  if (!spec.task.weighs()) return std::nullopt;
  const Vector start = system.observe(spec.start);
  const Plan best = plan_task(model, system, stay_inside, 0, settings);
  if (best.status == PlanStatus::failed) return std::nullopt;

  TaskOutlook outlook{.predicted = best.objective, .expected = 0, .gain = 0};
  // From that plan alone: what a wider search finds is not owed to knowledge.
  PlannerSettings nearby = settings;
  nearby.starts = nearby.hops = 0;
  int counted = 0;
  for (int i = 0; i < draws; ++i) {
    RandomStream randomness(settings.seed, "possible systems", static_cast<std::uint64_t>(i));
    const DynamicsModel possible = model.drawn(randomness);
    const Forecast blind = forecast_from(possible, start, best.actions);
    const double cost = spec.task.total({blind.mean, best.actions});
    const Plan wise = plan_task(possible, system, stay_inside, 0, nearby, {best.actions});
    if (!std::isfinite(cost) || wise.status == PlanStatus::failed) continue;
    outlook.expected += cost;
    outlook.gain += std::max(0.0, cost - wise.objective);
    ++counted;
  }
  if (counted == 0) return std::nullopt;
  outlook.expected /= counted;
  outlook.gain /= counted;
  return outlook;
}

}  // namespace rhc
