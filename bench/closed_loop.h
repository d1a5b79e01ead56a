// Simulated machines under a law, with noise in what it sees, and the models that laws go by.
#pragma once

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "bench/learned_model.h"
#include "bench/machines.h"
#include "bench/usual_noise.h"
#include "rhc/describe/settings.h"

namespace rhc::bench {

inline double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The action by what was measured.
using Law = std::function<Vector(const Vector& seen)>;
using Load = std::function<double(Index step)>;  // added to the first action
using Measure = std::function<Vector(const Vector& truth)>;

inline Trajectory run(const System& system, const Measure& measure, const Law& law, Index steps,
                      const Load& load) {
  const SystemSpec& spec = system.spec();
  Trajectory truth{Matrix(spec.outputs(), steps + 1), Matrix(spec.action_bounds.size(), steps)};
  Vector state = spec.start;
  for (Index t = 0; t < steps; ++t) {
    truth.observations.col(t) = system.observe(state);
    Vector action = law(measure(truth.observations.col(t)));
    truth.actions.col(t) = action;
    action[0] += load(t);
    state = system.step(state, action);
  }
  truth.observations.col(steps) = system.observe(state);
  return truth;
}

inline Measure with_noise(const Vector& deviations, const Vector& quantum,
                          RandomStream randomness) {
  return [=](const Vector& truth) mutable -> Vector {
    Vector seen = truth;
    for (Index i = 0; i < seen.size(); ++i) {
      if (deviations.size() > 0) seen[i] += deviations[i] * randomness.normal();
      if (quantum.size() > 0) seen[i] = rounded(seen[i], quantum[i]);
    }
    return seen;
  };
}

inline const Load kNoLoad = [](Index) { return 0.0; };

inline Vector noise_of(const System& system) {
  const std::vector<double> noise = usual_noise(system.spec().name);
  return Eigen::Map<const Vector>(noise.data(), static_cast<Index>(noise.size()));
}

// From three episodes with the usual noise.
inline DynamicsModel learned_system(const System& system, const std::vector<std::string>& settings,
                                    int seed) {
  Config config = preset("default", system.spec());
  config.episodes = 3;
  config.noise.observation = usual_noise(system.spec().name);
  for (const std::string& setting : settings) assign(config, setting);
  config.seed = static_cast<std::uint64_t>(seed);
  return learned_model(config, system);
}

// From four of its own.
inline DynamicsModel learned_machine(const Machine& machine,
                                     const std::vector<std::string>& settings, int seed) {
  const SystemSpec& spec = machine.system.spec();
  Config config = preset("default", spec);
  config.episodes = 4;
  config.seed = static_cast<std::uint64_t>(seed);
  for (const std::string& setting : settings) assign(config, setting);
  Campaign campaign(config, machine.system, 1);
  for (int episode = 1; episode <= config.episodes; ++episode) {
    const Proposal proposal = campaign.propose(episode, {});
    MachinePlant plant(machine,
                       RandomStream(config.seed, "plant", static_cast<std::uint64_t>(episode)));
    const Policy policy = [&](const Vector& seen, int t) {
      return campaign.act(proposal, seen, t);
    };
    campaign.learn(proposal, carry_out(policy, plant, spec, episode, {}));
  }
  return campaign.learner().task_model();
}

}  // namespace rhc::bench
