#include "apps/rhc/sweep.h"

#include <filesystem>
#include <memory>

#include "apps/rhc/commands.h"
#include "apps/rhc/run_sweep.h"
#include "rhc/core/error.h"
#include "rhc/format/files.h"

namespace rhc::app {

namespace {

struct SweepCommandOptions {
  std::string file;
  SweepOptions how;
};

}  // namespace

void add_sweep(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<SweepCommandOptions>();
  CLI::App* command = program.add_subcommand(
      "sweep",
      "Do all runs of a grid over systems, methods, seeds and settings, on all cores or on a\n"
      "Slurm cluster; what is finished is left alone, what was stopped goes on\n"
      "Example: rhc sweep examples/sweep.toml --jobs 4");
  command->add_option("file", options->file, "TOML file with a [grid]")->type_name("FILE");
  command
      ->add_option("--out", options->how.out,
                   "Directory of the sweep (default: sweeps/NAME of the file)")
      ->type_name("DIR");
  add_sweep_options(*command, options->how);
  command->require_subcommand(0, 1);
  add_sweep_status(*command, exit_code);
  add_sweep_collect(*command, exit_code);
  add_sweep_cancel(*command, exit_code);
  add_sweep_work(*command, exit_code);
  command->callback([command, options, &exit_code] {
    if (!command->get_subcommands().empty()) return;
    if (options->file.empty())
      throw InputError("sweep what? name a TOML file with a [grid] (see `rhc sweep --help`)");
    if (options->how.out.empty())
      options->how.out = "sweeps/" + std::filesystem::path(options->file).stem().string();
    exit_code = run_sweep(options->how, read_input(options->file), options->file);
  });
}

}  // namespace rhc::app
