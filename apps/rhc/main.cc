#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "apps/rhc/commands.h"
#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/system/plant.h"

namespace {

using namespace rhc::app;

// The words that would have been understood where parsing stopped.
std::vector<std::string> known_words(const CLI::App& program, bool options) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  std::vector<std::string> words;
  if (options) {
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  } else {
    // One without a group is for the program's own use.
    for (const CLI::App* sub : command->get_subcommands(nullptr))
      if (!sub->get_group().empty()) words.push_back(sub->get_name());
  }
  return words;
}

std::string version_text() {
  const std::string commit = rhc::commit();
  return std::string("rhc ") + rhc::version() + (commit.empty() ? "" : " (" + commit + ")");
}

int explain(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  std::string message = error.what();
  const std::vector<std::string> unknown = program.remaining(true);
  if (!unknown.empty()) {
    const bool option = unknown[0].starts_with('-');
    const std::string word = unknown[0].substr(0, unknown[0].find('='));
    message = rhc::unknown_name(option ? "option" : "command", word, known_words(program, option));
  }
  fmt::print(stderr, "rhc: {}\nRun `rhc --help` for the commands.\n", message);
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program(
      "rhc learns how a system moves from as few experiments as possible.\n"
      "Example: rhc explore pendulum --episodes 10",
      "rhc");
  program.set_version_flag("--version", version_text());
  program.require_subcommand(1);
  program.set_help_all_flag("--help-all", "Print the help of all commands and exit");
  int exit_code = kDone;
  add_explore(program, exit_code);
  add_resume(program, exit_code);
  add_new(program, exit_code);
  add_ask(program, exit_code);
  add_tell(program, exit_code);
  add_forget(program, exit_code);
  add_solve(program, exit_code);
  add_inspect(program, exit_code);
  add_evaluate(program, exit_code);
  add_export(program, exit_code);
  add_report(program, exit_code);
  add_compare(program, exit_code);
  add_serve(program, exit_code);
  add_sweep(program, exit_code);
  add_reproduce(program, exit_code);
  add_plan(program, exit_code);
  add_simulate(program, exit_code);
  add_systems(program, exit_code);
  add_config(program, exit_code);

  try {
    program.parse(argc, argv);
    return exit_code;
  } catch (const CLI::ParseError& error) {
    return explain(program, error);
  } catch (const rhc::InputError& error) {
    fmt::print(stderr, "rhc: {}\n", error.what());
    return kBadInput;
  } catch (const rhc::PlantStop& stop) {
    fmt::print(stderr, "rhc: the plant stopped before a run began: {}\n", stop.what());
    return kStopped;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rhc: {}\n", error.what());
    return kFailed;
  }
}
