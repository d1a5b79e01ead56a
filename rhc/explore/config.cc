#include "rhc/explore/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/plan/task_controller.h"

namespace rhc {

std::vector<std::string> preset_names() { return {"default", "paper"}; }

Config preset(std::string_view name, const SystemSpec& spec) {
  Config config;
  config.system = spec.name;
  if (!spec.simulated) config.judge.task = spec.task.weighs();
  if (!spec.simulated || spec.history > 1)
    config.judge.test_trajectories = config.judge.best_achievable_transitions = 0;
  if (name == "default") return config;
  if (name != "paper") throw InputError(unknown_name("preset", name, preset_names()));
  config.method = "rhc-us";
  // The paper's numbers of features; for a system it does not know, ours.
  config.model.features = spec.name == "mountain-car" ? 20
                          : spec.name == "pendulum"   ? 90
                          : spec.name == "cartpole"   ? 80
                                                      : 0;
  config.model.posterior = Sharing::shared;
  config.model.bandwidth = BandwidthRule::paper;
  config.model.caution = 0;
  config.model.fit_trajectories = false;
  config.model.outliers = false;
  config.model.redraw_features = true;
  config.plan.starts = 1;
  config.plan.signals = StartSignals::white;
  config.plan.stay_inside = false;
  config.plan.first_hold = 0;
  config.judge.task_starts = 1;
  config.judge.task_hops = config.judge.task_draws = 0;
  config.judge.task_closed = false;
  return config;
}

void check_possible(const Config& config, const SystemSpec& spec) {
  if (config.model.forgetting > 0 && config.model.bandwidth == BandwidthRule::paper)
    throw InputError(
        "setting 'forgetting' needs bandwidth = \"evidence\" or \"mean-distance\": the paper's fit "
        "counts all data alike; expected: 0");
  if (config.network.from > 0 &&
      (config.model.bandwidth == BandwidthRule::paper || config.model.redraw_features))
    throw InputError(
        "setting 'network_from' trains features, and preset=paper, bandwidth = \"paper\" and "
        "redraw_features draw them; expected: network_from = 0");
  if (spec.simulated && spec.history == 1) return;
  const auto refuse = [&](const char* key, const std::string& value) {
    throw InputError(fmt::format(
        "setting '{}' needs a system that rhc can simulate{}; expected: {}", key,
        spec.simulated ? fmt::format(" from what is observed at once, and '{}' has a history of {}",
                                     spec.name, spec.history)
                       : fmt::format(", and '{}' is a real one", spec.name),
        value));
  };
  if (config.judge.test_trajectories > 0) refuse("test_trajectories", "0");
  if (config.judge.best_achievable_transitions > 0) refuse("best_achievable_transitions", "0");
  if (spec.simulated) return;
  if (!config.noise.observation.empty()) refuse("observation_noise", "[]");
  if (!config.noise.process.empty()) refuse("process_noise", "[]");
  if (config.judge.task && !spec.task.weighs())
    throw InputError(fmt::format(
        "setting 'task' needs a [task] with a weight above 0 in the description of '{}'",
        spec.name));
}

Config config_for_system(const SystemSpec& spec, const std::string& method, std::uint64_t seed) {
  Config config;
  config.system = spec.name;
  config.method = method;
  config.seed = seed;
  config.model.features = features_for(config, spec);
  return config;
}

int features_for(const Config& config, const SystemSpec& spec) {
  if (config.model.features > 0) return config.model.features;
  const auto inputs = static_cast<int>(spec.inputs());
  return std::clamp(5 * inputs * inputs, 32, 500);
}

bool fits_each_output(const Config& config, const SystemSpec& spec) {
  constexpr Index kFewOutputs = 32;
  return config.model.posterior == Sharing::separate ||
         (config.model.posterior == Sharing::evidence && spec.outputs() <= kFewOutputs);
}

Sharing sharing_for(const Config& config, const SystemSpec& spec) {
  const bool left_open = config.model.posterior == Sharing::evidence;
  return left_open && spec.known.whole ? Sharing::separate : config.model.posterior;
}

int output_features_for(const Config& config, const SystemSpec& spec) {
  if (config.model.output_features > 0) return config.model.output_features;
  // What a nominal model has wrong is simpler than the motion, and few features stay tame away from
  // the data.
  if (spec.known.whole) return std::max(32, 5 * static_cast<int>(spec.inputs()));
  return std::max(32, features_for(config, spec) / 2);
}

int forecast_features_for(const Config& config, int features) {
  if (config.model.forecast_features > 0) return config.model.forecast_features;
  return std::clamp(3 * features, 200, 500);
}

EvidenceSettings evidence_settings(const Config& config, const System& system, int threads) {
  return {
      .bandwidth = config.model.bandwidth,
      .noise_floor = config.model.noise_floor,
      .model_error = config.model.model_error,
      .caution = config.model.caution,
      .region = sample_region(system, 64, RandomStream(0, "region")),
      .set_outliers_aside = config.model.outliers && config.model.bandwidth != BandwidthRule::paper,
      .starts = config.model.evidence_starts,
      .threads = threads,
      .seed = config.seed};
}

PlannerSettings task_planner_settings(const Config& config, int threads) {
  return {.starts = config.judge.task_starts,
          .signals = config.plan.signals,
          .hops = config.judge.task_hops,
          .patience = 40,
          .shooting = {.tolerance = 1e-5},
          .threads = threads,
          .seed = config.seed};
}

ControllerSettings controller_settings(const Config& config) {
  return {.replan = config.judge.task_replan};
}

NoiseLevels noise_levels(const Config& config, const SystemSpec& spec) {
  const auto expand = [&](const char* key, const std::vector<double>& given,
                          const std::vector<Quantity>& quantities) -> Vector {
    const Index size = static_cast<Index>(quantities.size());
    if (given.empty()) return {};
    if (given.size() == 1) return Vector::Constant(size, given[0]);
    if (given.size() != quantities.size())
      throw InputError(fmt::format("setting '{}' has {} entries; {} has {} ({})", key, given.size(),
                                   spec.name, size, fmt::join(names_of(quantities), ", ")));
    return Eigen::Map<const Vector>(given.data(), size);
  };
  return {expand("observation_noise", config.noise.observation, spec.observation),
          expand("process_noise", config.noise.process, spec.state)};
}

}  // namespace rhc
