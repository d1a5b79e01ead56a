#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "apps/rhc/commands.h"
#include "rhc/core/error.h"
#include "rhc/describe/description_remarks.h"
#include "rhc/describe/draft.h"
#include "rhc/describe/log_file.h"
#include "rhc/describe/measured.h"
#include "rhc/format/files.h"

namespace rhc::app {

namespace {

struct DescribeOptions {
  std::string log, out;
  DraftSettings draft;
};

// As `rhc tell` would read it; or what it would say.
std::pair<Index, std::string> steps_in(const std::string& log, const DescribeOptions& options,
                                       const SystemFile& system, bool resample) {
  try {
    return {parse_measured(log, options.log, system, {.resample = resample}).trajectory.steps(),
            ""};
  } catch (const InputError& error) {
    return {0, error.what()};
  }
}

void describe(const DescribeOptions& options) {
  if (std::filesystem::is_regular_file(options.out))
    throw InputError(fmt::format(
        "'{}' is there already, and may have been edited; name another file, or remove it",
        options.out));
  const std::string log = read_log(options.log);
  const Draft draft = draft_description(log, options.log, options.draft);
  // What was drafted can be read, and with it the log.
  const SystemFile system = parse_system(draft.toml, options.out.empty() ? "draft" : options.out,
                                         std::filesystem::path(options.out).parent_path());
  const auto [steps, trouble] = steps_in(log, options, system, draft.resample);

  std::FILE* const words = options.out.empty() ? stderr : stdout;
  fmt::print(words, "Guessed from {} steps of {}:\n", steps, options.log);
  for (const std::string& guess : draft.guesses) fmt::print(words, "  {}\n", guess);
  fmt::print(words, "Look at this:\n");
  for (const std::string& open : draft.open) fmt::print(words, "  {}\n", open);
  if (!trouble.empty()) fmt::print(words, "  {}\n", trouble);
  if (options.out.empty()) {
    fmt::print("{}", draft.toml);
    return;
  }
  write_output(options.out, draft.toml);
  const std::string name = system.system.spec().name;
  fmt::print(
      "Written to {}. `rhc new {} --out runs/{}` begins a run, and\n`rhc tell runs/{} {} "
      "--import{}` learns from this log\n",
      options.out, options.out, name, name, options.log, draft.resample ? " --resample" : "");
}

}  // namespace

void add_describe(CLI::App& program, int&) {
  const auto options = std::make_shared<DescribeOptions>();
  CLI::App* command = program.add_subcommand(
      "describe",
      "Draft the description of a system from a recording of it, and say what was guessed and why\n"
      "Example: rhc describe log.csv --out my.toml");
  command
      ->add_option("log", options->log,
                   "A row a step and columns by name, as `rhc tell` takes it: CSV, .npz or .mat")
      ->type_name("FILE")
      ->required();
  command->add_option("--out", options->out, "File to write (default: the standard output)")
      ->type_name("FILE");
  command->add_option("--name", options->draft.name, "Of the system (default: the log's)")
      ->type_name("NAME");
  command
      ->add_option("--action", options->draft.actions,
                   "Column that is an action (default: those that look like one); may be repeated")
      ->type_name("COLUMN")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--observation", options->draft.observations,
          "Column that is observed (default: all others that say something); may be repeated")
      ->type_name("COLUMN")
      ->allow_extra_args(false);
  command
      ->add_option("--time-step", options->draft.time_step,
                   "Seconds between two rows (default: as the stamps say)")
      ->type_name("SECONDS");
  command->callback([options] { describe(*options); });
}

}  // namespace rhc::app
