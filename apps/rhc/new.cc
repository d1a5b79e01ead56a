#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <memory>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/config_file.h"
#include "rhc/describe/description_remarks.h"
#include "rhc/describe/settings.h"
#include "rhc/describe/task_quantities.h"

namespace rhc::app {

namespace {

struct NewOptions {
  std::string system, out, config_file;
  std::optional<std::string> method;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> settings;
};

// What needs a simulator is off: there is only the real system.
Config config_of(const NewOptions& options, const SystemSpec& spec) {
  Config config;
  if (!options.config_file.empty()) read_config(config, options.config_file);
  config.system = spec.name;
  std::vector<GivenSetting> given;
  if (options.method) given.push_back({"--method " + *options.method, "method", *options.method});
  if (options.seed) {
    const std::string seed = std::to_string(*options.seed);
    given.push_back({"--seed " + seed, "seed", seed});
  }
  for (const std::string& words : options.settings) given.push_back(given_setting(words));
  assign(config, given);
  config.method = method_name(config.method);
  config.model.features = features_for(config, spec);
  config.system = spec.name;
  config.episodes = 0;
  config.judge.task = false;
  config.judge.test_trajectories = config.judge.best_achievable_transitions = 0;
  return config;
}

// A task for a description that has none, where somebody sits at the terminal: what each quantity
// is to reach. The weights are those of `rhc describe`.
SystemFile with_task(const NewOptions& options, SystemFile file) {
  const bool asks = ::isatty(STDIN_FILENO) && ::isatty(STDERR_FILENO);
  const SystemSpec& spec = file.system.spec();
  if (!asks || spec.task.weighs() || file.text.find("\n[task") != std::string::npos) return file;
  fmt::print(stderr,
             "{} says nothing of a task. What is the machine to reach? An empty line leaves a "
             "quantity out.\n",
             options.system);
  std::vector<std::string> target, weight, costs;
  for (const TaskQuantity& quantity : task_quantities(spec)) {
    while (true) {
      fmt::print(stderr, "  {}: ", with_unit(quantity.quantity));
      std::string answer;
      if (!std::getline(std::cin, answer)) throw InputError("nothing was begun");
      if (trim(answer).empty()) break;
      const auto value = parse_number(answer);
      if (!value || !std::isfinite(*value)) {
        fmt::print(stderr, "  a number, please\n");
        continue;
      }
      target.push_back(fmt::format("\"{}\" = {}", quantity.quantity.name, exact(*value)));
      const double half = quantity.angle() ? 1 : quantity.half;
      weight.push_back(
          fmt::format("\"{}\" = {}", quantity.quantity.name, exact(1 / (half * half))));
      break;
    }
  }
  if (target.empty()) return file;
  for (std::size_t i = 0; i < spec.action.size(); ++i) {
    constexpr double kCheap = 0.01;
    const double half = spec.action_bounds.width()[static_cast<Index>(i)] / 2;
    costs.push_back(fmt::format("\"{}\" = {}", spec.action[i].name, exact(kCheap / (half * half))));
  }
  return parse_system(
      fmt::format("{}\n[task]\ntarget = {{ {} }}\nweight = {{ {} }}\naction_weight = {{ {} }}\n",
                  file.text, fmt::join(target, ", "), fmt::join(weight, ", "),
                  fmt::join(costs, ", ")),
      options.system, std::filesystem::path(options.system).parent_path());
}

void begin(const NewOptions& options) {
  SystemFile file = read_system_file(options.system);
  if (!file.system.spec().simulated) file = with_task(options, std::move(file));
  const SystemSpec& spec = file.system.spec();
  if (spec.simulated)
    throw InputError(fmt::format("{}: this system is simulated; `rhc explore {}` explores it",
                                 options.system, options.system));
  const Config config = config_of(options, spec);
  const std::filesystem::path out = options.out.empty()
                                        ? free_path(fmt::format("runs/{}", spec.name))
                                        : std::filesystem::path(options.out);
  Laboratory::create(out, file, config);
  fmt::print("{}: {} observations, {} actions, {} steps of {} s\n", out.string(), spec.outputs(),
             spec.action.size(), spec.horizon, spec.time_step);
  for (const std::string& remark : remarks_on_description(file))
    fmt::print(stderr, "rhc: {}: {}\n", options.system, remark);
  fmt::print("`rhc ask {}` plans the first experiment\n", out.string());
}

}  // namespace

void add_new(CLI::App& program, int&) {
  const auto options = std::make_shared<NewOptions>();
  CLI::App* command = program.add_subcommand(
      "new",
      "Begin a run on a real system, whose experiments you carry out yourself\n"
      "Example: rhc new lab.toml --out runs/lab");
  command->add_option("system", options->system, "TOML file that describes the system")
      ->type_name("FILE")
      ->required();
  command->add_option("--out", options->out, "Run directory to make (default: runs/NAME)")
      ->type_name("DIR");
  command
      ->add_option("--method", options->method,
                   "Who decides what to try: rhc-evr (default), rhc-info, rhc-us or random")
      ->type_name("METHOD");
  command->add_option("--seed", options->seed, "Decides every random number (default 1)");
  command
      ->add_option("--config", options->config_file,
                   "TOML file with settings (see `rhc config show`)")
      ->type_name("FILE");
  command->add_option("settings", options->settings, "key=value ... (see `rhc config show`)")
      ->type_name("KEY=VALUE");
  command->callback([options] { begin(*options); });
}

}  // namespace rhc::app
