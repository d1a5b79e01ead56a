#include "rhc/study/estimate.h"

#include <algorithm>
#include <cmath>

#include "rhc/system/registry.h"

namespace rhc {

double guessed_seconds(const Config& config) {
  // Fitted by eye to runs of 20 episodes with all methods on mountain car, pendulum and cart-pole.
  const SystemSpec& spec = make_system(config.system).spec();
  const double features = features_for(config, spec);
  const double size = static_cast<double>(spec.horizon) * features * features / 1e6;
  const double fit = 0.03 * size;
  const double task = config.task ? 0.002 * size * (config.task_starts + config.task_hops) : 0;
  const double scores =
      3e-8 * config.test_trajectories * config.test_steps * features * std::sqrt(features);
  double deciding = 0.04 * size;
  if (config.method == "random") deciding = 0;
  if (config.method.starts_with("sac"))
    deciding = 0.006 * spec.horizon * std::max(config.sac_updates, 0);
  if (config.method == "max") deciding = 2e-3 * config.max_updates + 2.5e-3 * config.max_steps;
  return 0.02 + config.episodes * (deciding + fit + task + scores + 0.01);
}

void Estimate::learn(const PlannedRun& run, double seconds) {
  const double guessed = guessed_seconds(run.config);
  for (Sum* sum : {&groups_[run.group], &all_}) {
    sum->seconds += seconds;
    sum->guessed += guessed;
    ++sum->runs;
  }
}

double Estimate::seconds_of(const PlannedRun& run) const {
  const auto known = groups_.find(run.group);
  if (known != groups_.end()) return known->second.seconds / known->second.runs;
  return guessed_seconds(run.config) * (all_.runs > 0 ? all_.seconds / all_.guessed : 1);
}

}  // namespace rhc
