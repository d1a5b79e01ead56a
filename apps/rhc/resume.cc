#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "apps/rhc/commands.h"
#include "apps/rhc/run_to_end.h"
#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/plant/plant_protocol.h"
#include "rhc/run/laboratory.h"

namespace rhc::app {

namespace {

struct ResumeOptions {
  std::string run;
  std::optional<int> episodes;
  bool repair = false, yes = false;
  RunOptions how;
};

// A belief that is there already is not learned again, and so not written.
void check_dump(const ResumeOptions& options) {
  const int episode = options.how.dump_problem;
  if (episode == 0) return;
  const RunRecord run = read_run(options.run);
  const int episodes = options.episodes.value_or(run.config.episodes);
  if (episode > episodes)
    throw InputError(
        fmt::format("--dump-problem {} comes after the last of {} episodes", episode, episodes));
  if (episode <= run.episodes_done() && run.damaged.empty())
    throw InputError(fmt::format("--dump-problem {}: episode {} of '{}' is done already", episode,
                                 episode, options.run));
}

int repair_laboratory(const ResumeOptions& options) {
  const Laboratory lab(options.run, options.how.threads, Laboratory::Damage::repaired);
  for (const std::string& remark : lab.remarks()) fmt::print(stderr, "rhc: repaired: {}\n", remark);
  fmt::print("`rhc ask {}` plans the next experiment\n", options.run);
  return kDone;
}

// Whoever typed `resume` may not know what the run's settings start: it is named before it moves
// anything. False where that is not wanted.
bool may_start(const RunRecord& run, const ResumeOptions& options) {
  const std::string command = on_one_line(run.config.plant.command);
  const int episodes = options.episodes.value_or(run.config.episodes);
  const bool nothing_left = run.checkpoint && run.episodes_done() >= episodes;
  if (command.empty() || options.yes || nothing_left) return true;
  if (!::isatty(STDIN_FILENO) || !::isatty(STDERR_FILENO))
    throw InputError(fmt::format(
        "'{}' goes on with a plant: `{}` would be started; say --yes where that is wanted",
        options.run, command));
  fmt::print(stderr, "Start `{}`? [y/N] ", command);
  std::string answer;
  std::getline(std::cin, answer);
  return trim(answer) == "y" || trim(answer) == "Y" || trim(answer) == "yes";
}

int resume(const ResumeOptions& options) {
  if (is_laboratory(read_summary(options.run))) {
    if (options.repair) return repair_laboratory(options);
    throw InputError(
        fmt::format("the experiments of '{}' are carried out by you: `rhc ask {}` plans the next",
                    options.run, options.run));
  }
  check_dump(options);
  const RunRecord before = read_run(options.run);
  if (!may_start(before, options)) {
    fmt::print(stderr, "rhc: nothing was started, and nothing was changed\n");
    return kFailed;
  }
  RunDirectory run = RunDirectory::reopen(options.run, options.episodes, options.repair);
  for (const std::string& remark : run.past().remarks())
    fmt::print(stderr, "rhc: {}: {}\n", options.run, remark);
  for (const std::string& damage : run.past().damaged)
    fmt::print(stderr, "rhc: repairing: {}\n", damage);
  const bool nothing_left = run.past().checkpoint && !run.past().rows.empty() &&
                            run.past().episodes_done() >= run.config().episodes;
  if (nothing_left && !options.how.quiet && !options.how.json)
    fmt::print(stderr, "rhc: all {} episodes are done; --episodes N goes on to N\n",
               run.config().episodes);
  const System system = system_of(run.past());
  std::unique_ptr<ProcessPlant> plant;
  if (run.config().plant.command != before.config.plant.command)
    throw InputError(
        fmt::format("'{}': the command was changed in this moment; resume it again", options.run));
  if (!run.config().plant.command.empty()) {
    plant = std::make_unique<ProcessPlant>(plant_settings(run.config()));
    plant->expect(system);
  }
  return run_to_end(system, run, options.how, plant.get());
}

}  // namespace

void add_resume(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<ResumeOptions>();
  CLI::App* command = program.add_subcommand(
      "resume",
      "Go on with a run that was stopped, or extend one: the result is the same, byte for\n"
      "byte, as if it had never been stopped\n"
      "Example: rhc resume runs/pendulum-rhc-evr-1 --episodes 40");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command->add_option("--episodes", options->episodes, "Experiments in all (default: as before)")
      ->check(CLI::Range(0, 1000000));
  command->add_flag("--repair", options->repair,
                    "Where files were removed or changed: set damaged episodes aside, do them\n"
                    "again and learn all anew");
  command->add_flag("--yes", options->yes,
                    "Start the plant that the run's settings name without asking");
  add_run_options(*command, options->how);
  command->callback([options, &exit_code] { exit_code = resume(*options); });
}

}  // namespace rhc::app
