#include "rhc/explore/config.h"

#include <fmt/format.h>

#include <memory>

#include "apps/rhc/commands.h"
#include "rhc/describe/config_file.h"
#include "rhc/describe/system_file.h"

namespace rhc::app {

namespace {

struct ConfigOptions {
  std::string system = Config{}.system, preset = "default";
};

}  // namespace

void add_config(CLI::App& program, int&) {
  CLI::App* config = program.add_subcommand("config", "Settings\nExample: rhc config show");
  config->require_subcommand(1);
  CLI::App* show =
      config->add_subcommand("show",
                             "Print every setting with its unit, range and value, as TOML\n"
                             "Example: rhc config show cartpole --preset paper > my.toml");
  const auto options = std::make_shared<ConfigOptions>();
  show->add_option("system", options->system, "Name of the system (default: pendulum)")
      ->type_name("SYSTEM");
  show->add_option("--preset", options->preset, "default (the best we know) or paper")
      ->type_name("PRESET");
  show->callback([options] {
    fmt::print("{}", config_toml(preset(options->preset, open_system(options->system).spec())));
  });
}

}  // namespace rhc::app
