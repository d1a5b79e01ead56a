#include "rhc/study/estimate.h"

#include <algorithm>

#include "rhc/describe/bundled_systems.h"

namespace rhc {

double guessed_seconds(const Config& config) {
  // Fitted by eye to runs of 20 episodes with all methods on mountain car, pendulum and cart-pole.
  const SystemSpec spec = bundled_system(config.system).spec();
  const double features = features_for(config, spec);
  const double steps = spec.horizon;
  const double fit = 6e-4 * features;
  const double task = config.judge.task ? 2e-7 * steps * features *
                                              (config.judge.task_starts + config.judge.task_hops)
                                        : 0;
  const double scores =
      1.9e-8 * config.judge.test_trajectories * config.judge.test_steps * features;
  double deciding = 6e-4 * features;
  if (config.method == "random") deciding = 0;
  if (config.method.starts_with("sac")) deciding = 0.0045 * steps * config.sac.updates;
  if (config.method == "max") deciding = 2e-3 * config.max.updates + 2.8e-3 * config.max.steps;
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

double Estimate::seconds_left(const PlannedRun& run, int episodes_done) const {
  const double share = static_cast<double>(episodes_done) / std::max(1, run.config.episodes);
  return seconds_of(run) * std::max(0.0, 1 - share);
}

}  // namespace rhc
