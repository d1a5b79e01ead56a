#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/rhc/commands.h"
#include "apps/rhc/run_to_end.h"
#include "rhc/core/error.h"
#include "rhc/explore/explorer.h"
#include "rhc/io/system_file.h"

namespace rhc::app {

namespace {

struct Options {
  std::string system, config_file, out, preset = "default";
  std::optional<std::string> method;
  std::optional<int> episodes;
  std::optional<std::uint64_t> seed;
  RunOptions how;
  bool no_evaluation = false;
  std::vector<std::string> settings;
};

// What is explored, and the text of the file that describes it.
struct Explored {
  System system;
  std::string file_text;
};

Explored open(const Options& options) {
  Config probe;
  if (!options.config_file.empty()) read_config(probe, options.config_file);
  const std::string name = options.system.empty() ? probe.system : options.system;
  if (!names_a_file(name)) return {open_system(name), ""};
  SystemFile file = read_system_file(name);
  if (!file.system.spec().simulated)
    throw InputError(
        fmt::format("{}: describes a real system, which rhc cannot run by itself: `rhc new {}` "
                    "begins a run whose experiments you carry out",
                    name, name));
  return {file.system, file.text};
}

// Later sources win: preset, file, options, key=value.
Config resolve(const Options& options, const System& system) {
  Config config = preset(options.preset, system.spec());
  if (!options.config_file.empty()) read_config(config, options.config_file);
  config.system = system.spec().name;
  if (options.method) assign(config, "method", *options.method);
  if (options.episodes) assign(config, "episodes", std::to_string(*options.episodes));
  if (options.seed) assign(config, "seed", std::to_string(*options.seed));
  if (options.no_evaluation) {
    config.task = false;
    config.test_trajectories = 0;
  }
  for (const std::string& setting : options.settings) {
    assign(config, setting);
    if (config.system != system.spec().name)
      throw InputError("name the system as the first word, not as system=NAME");
  }
  config.method = method_name(config.method);
  config.features = features_for(config, system.spec());
  if (options.how.dump_problem > config.episodes)
    throw InputError(fmt::format("--dump-problem {} comes after the last of {} episodes",
                                 options.how.dump_problem, config.episodes));
  return config;
}

int explore(const Options& options) {
  const auto [system, file_text] = open(options);
  const Config config = resolve(options, system);
  // Refused here rather than after a directory was made.
  noise_levels(config, system.spec());
  make_explorer(config, system, 1);
  const std::filesystem::path out =
      options.out.empty()
          ? free_path(fmt::format("runs/{}-{}-{}", config.system, config.method, config.seed))
          : std::filesystem::path(options.out);
  RunDirectory run(out, config, Sync::now, file_text);
  return run_to_end(system, run, options.how);
}

}  // namespace

void add_explore(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("explore",
                             "Explore a system, learn its dynamics and leave a run directory\n"
                             "Example: rhc explore pendulum --episodes 10 --seed 3 features=90");
  command->add_option("system", options->system,
                      "Name of the system (see `rhc systems`), or its TOML file");
  command->add_option(
      "--method", options->method,
      "Who decides what to try: rhc-evr (default), rhc-info, rhc-us, random, or with "
      "networks max, sac-ig or sac-pe");
  command->add_option("--preset", options->preset,
                      "Settings to begin with: default (the best we know) or paper");
  command->add_option("--episodes", options->episodes, "Experiments to run (default 20)");
  command->add_option("--seed", options->seed, "Decides every random number (default 1)");
  command->add_option("--config", options->config_file,
                      "TOML file with settings (see `rhc config show`)");
  command->add_option(
      "--out", options->out,
      "Run directory to make (default: runs/SYSTEM-METHOD-SEED, numbered when taken)");
  command->add_flag("--no-evaluation", options->no_evaluation,
                    "Explore and learn only: no task, no test trajectories");
  add_run_options(*command, options->how);
  command->add_option("settings", options->settings, "key=value ... (see `rhc config show`)");
  command->callback([options, &exit_code] {
    // `rhc explore features=90 --config FILE`: the first word is a setting, not a system.
    if (options->system.find('=') != std::string::npos) {
      options->settings.insert(options->settings.begin(), options->system);
      options->system.clear();
    }
    if (options->system.empty() && options->config_file.empty())
      throw InputError("explore what? name a system (see `rhc systems`) or a --config file");
    exit_code = explore(*options);
  });
}

}  // namespace rhc::app
