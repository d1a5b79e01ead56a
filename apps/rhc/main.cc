#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "apps/rhc/commands.h"
#include "apps/rhc/complete.h"
#include "apps/rhc/parts.h"
#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/system/plant.h"

namespace {

using namespace rhc::app;

// The words that would have been understood where parsing stopped.
std::vector<std::string> known_words(const CLI::App& command, bool options) {
  std::vector<std::string> words;
  if (options) {
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  } else {
    // One without a group is for the program's own use.
    for (const CLI::App* sub : command.get_subcommands(nullptr))
      if (!sub->get_group().empty()) words.push_back(sub->get_name());
  }
  return words;
}

// A file that is opened while one of the three standard descriptors is closed would get its number,
// and whatever is printed. In its place stands what can be neither read nor written.
void hold_standard_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number)
    if (::fcntl(number, F_GETFD) < 0)
      ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Whether or not anybody can hear it.
void complain(const std::string& message) {
  std::fputs(("rhc: " + message + "\n").c_str(), stderr);
}

bool nobody_reads() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

// What was printed is done only once it is written. `why` it was not, where that is known already.
int end_with(int exit_code, std::string why = "is the disk full?") {
  if (std::fflush(stdout) != 0)
    why = std::strerror(errno);
  else if (!std::ferror(stdout))
    return exit_code;
  // As a shell tells it of programs that end by SIGPIPE, and as quietly.
  if (nobody_reads()) return exit_code == kDone ? kNoReader : exit_code;
  complain("cannot write to standard output: " + why);
  return exit_code == kDone ? kFailed : exit_code;
}

int explain(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  std::string message = error.what();
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  const std::vector<std::string> unknown = program.remaining(true);
  if (!unknown.empty()) {
    const bool option = unknown[0].starts_with('-');
    const std::string word = unknown[0].substr(0, unknown[0].find('='));
    message = rhc::unknown_name(option ? "option" : "command", word, known_words(*command, option));
  }
  complain(command == &program
               ? message + "\nRun `rhc --help` for the commands."
               : fmt::format("{}\nRun `rhc {} --help` for the options.", message,
                             command->get_parent() == &program
                                 ? command->get_name()
                                 : command->get_parent()->get_name() + " " + command->get_name()));
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  CLI::App program(
      "rhc learns how a system moves from as few experiments as possible.\n"
      "Example: rhc explore pendulum --episodes 10",
      "rhc");
  program.set_version_flag("--version", version_text, "Print version, commit and parts and exit");
  program.require_subcommand(1);
  program.set_help_all_flag("--help-all", "Print the help of all commands and exit");
  int exit_code = kDone;
  add_explore(program, exit_code);
  add_resume(program, exit_code);
  add_describe(program, exit_code);
  add_new(program, exit_code);
  add_ask(program, exit_code);
  add_tell(program, exit_code);
  add_forget(program, exit_code);
  add_change(program, exit_code);
  add_solve(program, exit_code);
  add_control(program, exit_code);
  add_inspect(program, exit_code);
  add_evaluate(program, exit_code);
  add_validate(program, exit_code);
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
  add_doctor(program, exit_code);
  add_completion(program, exit_code);
  add_man_pages(program, exit_code);

  try {
    // What a shell asks at a press of the tabulator; its words need not make sense yet.
    if (argc > 1 && std::strcmp(argv[1], "complete") == 0) {
      fmt::print("{}", complete_lines(program, {argv + 2, argv + argc}));
      return end_with(kDone);
    }
    program.parse(argc, argv);
    return end_with(exit_code);
  } catch (const CLI::ParseError& error) {
    return end_with(explain(program, error));
  } catch (const rhc::InputError& error) {
    complain(error.what());
    return end_with(kBadInput);
  } catch (const rhc::PlantStop& stop) {
    complain(fmt::format("the plant stopped before a run began: {}", stop.what()));
    return end_with(kStopped);
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory for this; end other programs, or ask for less");
    return end_with(kFailed);
  } catch (const std::system_error& error) {
    // Printing throws where the standard output takes no more.
    if (std::ferror(stdout)) return end_with(kDone, error.code().message());
    complain(error.what());
    return end_with(kFailed);
  } catch (const std::exception& error) {
    complain(error.what());
    return end_with(kFailed);
  }
}
