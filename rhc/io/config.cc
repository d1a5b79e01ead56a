#include "rhc/io/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/io/files.h"
#include "rhc/io/toml.h"

namespace rhc {

std::string plain(const Setting& setting, const Config& config) {
  std::string value = setting.show(config);
  std::erase_if(value, [](char c) { return c == '"' || c == '\'' || c == ' '; });
  return value;
}

std::vector<std::string> preset_names() { return {"default", "paper"}; }

Config preset(std::string_view name, const SystemSpec& spec) {
  Config config;
  config.system = spec.name;
  if (!spec.simulated) config.task = spec.task.weighs();
  if (!spec.simulated || spec.history > 1)
    config.test_trajectories = config.best_achievable_transitions = 0;
  if (name == "default") return config;
  if (name != "paper") throw InputError(unknown_name("preset", name, preset_names()));
  config.method = "rhc-us";
  // The paper's numbers of features; for a system it does not know, ours.
  config.features = spec.name == "mountain-car" ? 20
                    : spec.name == "pendulum"   ? 90
                    : spec.name == "cartpole"   ? 80
                                                : 0;
  config.bandwidth = BandwidthRule::paper;
  config.caution = 0;
  config.redraw_features = true;
  config.plan_starts = 1;
  config.plan_signals = StartSignals::white;
  config.stay_inside = false;
  config.first_hold = 0;
  config.task_starts = 1;
  config.task_hops = 0;
  return config;
}

void check_possible(const Config& config, const SystemSpec& spec) {
  if (spec.simulated && spec.history == 1) return;
  const auto refuse = [&](const char* key, const std::string& value) {
    throw InputError(fmt::format(
        "setting '{}' needs a system that rhc can simulate{}; expected: {}", key,
        spec.simulated ? fmt::format(" from what is observed at once, and '{}' has a history of {}",
                                     spec.name, spec.history)
                       : fmt::format(", and '{}' is a real one", spec.name),
        value));
  };
  if (config.test_trajectories > 0) refuse("test_trajectories", "0");
  if (config.best_achievable_transitions > 0) refuse("best_achievable_transitions", "0");
  if (spec.simulated) return;
  if (!config.observation_noise.empty()) refuse("observation_noise", "[]");
  if (!config.process_noise.empty()) refuse("process_noise", "[]");
  if (config.task && !spec.task.weighs())
    throw InputError(fmt::format(
        "setting 'task' needs a [task] with a weight above 0 in the description of '{}'",
        spec.name));
}

int features_for(const Config& config, const SystemSpec& spec) {
  if (config.features > 0) return config.features;
  const auto inputs = static_cast<int>(spec.inputs());
  return std::clamp(5 * inputs * inputs, 32, 500);
}

void assign(Config& config, std::string_view key, std::string_view value) {
  for (const Setting& setting : settings()) {
    if (setting.key != key) continue;
    Config changed = config;
    if (!setting.assign(changed, trim(value)))
      throw InputError(
          fmt::format("setting '{}' cannot be '{}'; expected: {}", key, value, setting.range));
    config = std::move(changed);
    return;
  }
  std::vector<std::string> known;
  for (const Setting& setting : settings()) known.push_back(setting.key);
  throw InputError(unknown_name("setting", key, known));
}

void assign(Config& config, std::string_view key_and_value) {
  const auto at = key_and_value.find('=');
  if (at == std::string_view::npos)
    throw InputError(
        fmt::format("unexpected argument '{}'; settings are written key=value", key_and_value));
  assign(config, trim(key_and_value.substr(0, at)), key_and_value.substr(at + 1));
}

std::string config_toml(const Config& config) {
  std::string text = "# Every setting of this run. `rhc explore --config FILE` repeats it.\n";
  for (const Setting& setting : settings()) {
    const std::string unit = setting.unit.empty() ? "" : " [" + setting.unit + "]";
    text += fmt::format("\n# {}{}\n# {}\n{} = {}\n", setting.help, unit, setting.range, setting.key,
                        setting.show(config));
  }
  return text;
}

void read_config(Config& config, const std::filesystem::path& path) {
  read_config(config, read_text(path), path.string());
}

void read_config(Config& config, std::string_view toml, const std::string& name) {
  for (const auto& [key, node] : parse_toml(toml, name)) {
    try {
      assign(config, key.str(), plain(node));
    } catch (const InputError& error) {
      throw InputError(at_place(name, node, error.what()));
    }
  }
}

EvidenceSettings evidence_settings(const Config& config, const System& system, int threads) {
  return {.bandwidth = config.bandwidth,
          .noise_floor = config.noise_floor,
          .caution = config.caution,
          .region = sample_region(system, 64, RandomStream(0, "region")),
          .starts = config.evidence_starts,
          .threads = threads,
          .seed = config.seed};
}

PlannerSettings task_planner_settings(const Config& config, int threads) {
  return {.starts = config.task_starts,
          .signals = config.plan_signals,
          .hops = config.task_hops,
          .patience = 40,
          .shooting = {.tolerance = 1e-5},
          .threads = threads,
          .seed = config.seed};
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
  return {expand("observation_noise", config.observation_noise, spec.observation),
          expand("process_noise", config.process_noise, spec.state)};
}

}  // namespace rhc
