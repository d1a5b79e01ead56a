#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/rhc/commands.h"
#include "apps/rhc/run_to_end.h"
#include "rhc/core/error.h"
#include "rhc/describe/config_file.h"
#include "rhc/describe/settings.h"
#include "rhc/describe/system_file.h"
#include "rhc/explore/explorer.h"
#include "rhc/explore/memory.h"
#include "rhc/explore/neural_methods.h"
#include "rhc/format/files.h"
#include "rhc/plant/plant_protocol.h"
#include "rhc/plant/process_plant.h"

namespace rhc::app {

namespace {

struct ExploreOptions {
  std::string system, config_file, out, preset = "default", command;
  std::optional<std::string> method;
  std::optional<int> episodes, replan;
  std::optional<std::uint64_t> seed;
  RunOptions how;
  bool no_evaluation = false;
  std::vector<std::string> settings;
};

// What options and words say of settings, and the text of the --config file.
struct Given {
  std::vector<GivenSetting> settings;
  std::string file_text;
};

Given given_by(const ExploreOptions& options) {
  Given given;
  const auto add = [&](const std::string& option, const char* key, const std::string& value) {
    given.settings.push_back({option + " " + value, key, value});
  };
  if (!options.command.empty()) add("--command", "command", options.command);
  if (options.method) add("--method", "method", *options.method);
  if (options.episodes) add("--episodes", "episodes", std::to_string(*options.episodes));
  if (options.replan) add("--replan", "replan", std::to_string(*options.replan));
  if (options.seed) add("--seed", "seed", std::to_string(*options.seed));
  if (options.no_evaluation) {
    given.settings.push_back({"--no-evaluation", "task", "false"});
    given.settings.push_back({"--no-evaluation", "test_trajectories", "0"});
  }
  for (const std::string& words : options.settings) given.settings.push_back(given_setting(words));
  // Read once, for it may be a pipe.
  if (!options.config_file.empty()) given.file_text = read_input(options.config_file);
  return given;
}

// What is explored, and the text of the file that describes it.
struct Explored {
  System system;
  std::string file_text;
  std::unique_ptr<ProcessPlant> plant{};  // null: the system is simulated
};

// The description that a run keeps beside its config.toml; empty where there is none of that name.
std::string file_beside(const std::string& config_file, const std::string& system) {
  if (config_file.empty()) return "";
  const std::filesystem::path file =
      std::filesystem::path(config_file).replace_filename(kSystemFile);
  if (!std::filesystem::is_regular_file(file)) return "";
  return read_system_file(file).system.spec().name == system ? file.string() : "";
}

// A plant says itself what it is, or a file says it; where both do, they must agree.
// `kept`: what an earlier run of it was told, where nobody says it now.
Explored open_plant(const Config& config, std::string file, const std::string& kept) {
  if (!file.empty() && !names_a_file(file))
    throw InputError(fmt::format(
        "--command explores the program that it starts, and '{}' is a system that rhc simulates; "
        "leave it out, or name a TOML file that describes the program",
        file));
  auto plant = std::make_unique<ProcessPlant>(plant_settings(config));
  std::optional<SystemFile> given;
  if (!file.empty()) given = read_system_file(file);
  const std::string described = plant->hello();
  if (!given && described.empty() && !kept.empty()) given = read_system_file(file = kept);
  if (!given && described.empty())
    throw InputError(
        fmt::format("the plant `{}` does not say what it is (its answer to hello has no "
                    "\"system\"); name a TOML file that does: `rhc explore lab.toml --command ...`",
                    config.plant.command));
  SystemFile system = given ? *given : described_system(described);
  if (system.system.spec().simulated)
    throw InputError(
        fmt::format("{}: describes a system that rhc simulates; --command needs one that "
                    "describes what the program measures",
                    file.empty() ? "the plant's system" : file));
  plant->expect(system.system);
  return {system.system, system.text, std::move(plant)};
}

Explored open(const ExploreOptions& options, const Given& given) {
  Config probe;
  read_config(probe, given.file_text, options.config_file);
  assign(probe, given.settings);
  const std::string kept =
      options.system.empty() ? file_beside(options.config_file, probe.system) : "";
  if (!probe.plant.command.empty()) {
    if (options.command.empty() && !options.how.quiet)
      fmt::print(stderr, "rhc: starting the plant `{}`\n", on_one_line(probe.plant.command));
    return open_plant(probe, options.system, kept);
  }
  const std::string name = !options.system.empty() ? options.system
                           : !kept.empty()         ? kept
                                                   : probe.system;
  if (!names_a_file(name)) return {open_system(name), ""};
  SystemFile file = read_system_file(name);
  if (!file.system.spec().simulated)
    throw InputError(fmt::format(
        "{}: describes a real system, which rhc cannot run by itself: `rhc new {}` begins a run "
        "whose experiments you carry out, and `rhc explore {} --command PROGRAM` leaves them to a "
        "program",
        name, name, name));
  return {file.system, file.text};
}

// Later sources win: preset, file, what was typed.
Config config_for(const ExploreOptions& options, const Given& given, const System& system) {
  Config config = preset(options.preset, system.spec());
  read_config(config, given.file_text, options.config_file);
  config.system = system.spec().name;
  assign(config, given.settings);
  if (config.system != system.spec().name)
    throw InputError("name the system as the first word, not as system=NAME");
  check_possible(config, system.spec());
  config.method = method_name(config.method);
  config.model.features = features_for(config, system.spec());
  if (options.how.dump_problem > config.episodes)
    throw InputError(fmt::format("--dump-problem {} comes after the last of {} episodes",
                                 options.how.dump_problem, config.episodes));
  return config;
}

int explore(const ExploreOptions& options) {
  const Given given = given_by(options);
  Explored explored = open(options, given);
  const System& system = explored.system;
  const Config config = config_for(options, given, system);
  // Refused here rather than after a directory was made.
  check_memory(config, system.spec());
  check_network(config);
  noise_levels(config, system.spec());
  make_explorer(config, system, 1);
  const std::filesystem::path out =
      options.out.empty()
          ? free_path(fmt::format("runs/{}-{}-{}", config.system, config.method, config.seed))
          : std::filesystem::path(options.out);
  RunDirectory run(out, config, Sync::now, explored.file_text);
  // Ended before the run is let go of: whoever goes on with it must not meet the old plant.
  const std::unique_ptr<ProcessPlant> plant = std::move(explored.plant);
  return run_to_end(system, run, options.how, plant.get());
}

}  // namespace

void add_explore(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<ExploreOptions>();
  CLI::App* command =
      program.add_subcommand("explore",
                             "Explore a system, learn its dynamics and leave a run directory\n"
                             "Example: rhc explore pendulum --episodes 10 --seed 3 features=90");
  command
      ->add_option("system", options->system,
                   "Name of the system (see `rhc systems`), or its TOML file")
      ->type_name("SYSTEM");
  command
      ->add_option("--command", options->command,
                   "Program that is the system: started by the shell, asked by JSON lines (see\n"
                   "docs/protocol.md)")
      ->type_name("PROGRAM");
  command
      ->add_option("--method", options->method,
                   "Who decides what to try: rhc-evr (default), rhc-info, rhc-us, random, or with "
                   "networks max, sac-ig or sac-pe")
      ->type_name("METHOD");
  command
      ->add_option("--preset", options->preset,
                   "Settings to begin with: default (the best we know) or paper")
      ->type_name("PRESET");
  command->add_option("--episodes", options->episodes, "Experiments to run (default 20)");
  command->add_option("--replan", options->replan,
                      "Steps after which the rest of an experiment is planned anew, with what was\n"
                      "seen until then (default 0: never)");
  command->add_option("--seed", options->seed, "Decides every random number (default 1)");
  command
      ->add_option("--config", options->config_file,
                   "TOML file with settings (see `rhc config show`)")
      ->type_name("FILE");
  command
      ->add_option("--out", options->out,
                   "Run directory to make (default: runs/SYSTEM-METHOD-SEED, numbered when taken)")
      ->type_name("DIR");
  command->add_flag("--no-evaluation", options->no_evaluation,
                    "Explore and learn only: no task, no test trajectories");
  add_run_options(*command, options->how);
  command->add_option("settings", options->settings, "key=value ... (see `rhc config show`)")
      ->type_name("KEY=VALUE");
  command->callback([options, &exit_code] {
    // `rhc explore features=90 --config FILE`: the first word is a setting, not a system.
    if (options->system.find('=') != std::string::npos) {
      options->settings.insert(options->settings.begin(), options->system);
      options->system.clear();
    }
    if (options->system.empty() && options->config_file.empty() && options->command.empty())
      throw InputError(
          "explore what? name a system (see `rhc systems`), a --config file or a --command");
    exit_code = explore(*options);
  });
}

}  // namespace rhc::app
