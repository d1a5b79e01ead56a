#include "rhc/describe/config_file.h"

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/describe/settings.h"
#include "rhc/format/files.h"
#include "rhc/format/toml.h"

namespace rhc {

std::string config_toml(const Config& config) {
  std::string text = "# Every setting of this run. `rhc explore --config FILE` repeats it.\n";
  for (const Setting& setting : settings()) {
    const std::string unit = setting.unit.empty() ? "" : " [" + setting.unit + "]";
    text += fmt::format("\n# {}{}\n# {}\n{} = {}\n", setting.help, unit, setting.range, setting.key,
                        setting.show(config));
  }
  return text;
}

Config with_newer_settings_of_0_1(Config config) {
  config.model.posterior = Sharing::shared;
  config.plan.first_levels = 1;
  config.model.fit_trajectories = false;
  config.model.outliers = false;
  config.judge.task_draws = 0;
  config.judge.task_closed = false;
  config.model.model_error = 0;
  // It is no newer setting; its default was another one.
  if (config.model.noise_floor == Config{}.model.noise_floor) config.model.noise_floor = 1e-4;
  return config;
}

Config settings_of_0_1() { return with_newer_settings_of_0_1({}); }

void read_config(Config& config, const std::filesystem::path& path) {
  read_config(config, read_input(path), path.string());
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

}  // namespace rhc
