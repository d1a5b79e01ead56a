#include "rhc/io/config.h"

#include <fmt/format.h>

#include "apps/rhc/commands.h"

namespace rhc::app {

void add_config(CLI::App& program, int&) {
  CLI::App* config = program.add_subcommand("config", "Settings\nExample: rhc config show");
  config->require_subcommand(1);
  config
      ->add_subcommand("show",
                       "Print every setting with its unit, range and default, as TOML\n"
                       "Example: rhc config show > my.toml")
      ->callback([] { fmt::print("{}", config_toml(Config{})); });
}

}  // namespace rhc::app
