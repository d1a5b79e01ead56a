#include <fmt/format.h>

#include <memory>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "apps/rhc/threads_option.h"
#include "rhc/explore/trouble.h"
#include "rhc/run/noise_words.h"

namespace rhc::app {

namespace {

struct TellOptions {
  std::string run, file;
  TellSettings tell;
  int experiment = 0, threads = 1;
};

void tell(TellOptions& options) {
  keep_what_was_learned(options.run, options.threads);
  Laboratory lab(options.run, options.threads);
  print_remarks(lab, options.run);
  if (options.experiment > 0) options.tell.experiment = options.experiment;
  std::optional<std::filesystem::path> file;
  if (!options.file.empty()) file = options.file;
  const Told told = lab.tell(file, options.tell);
  for (const std::string& remark : told.remarks)
    fmt::print(stderr, "rhc: {}: {}\n", options.file, remark);
  fmt::print("experiment {}: {} steps; {} transitions in all\n", told.experiment, told.steps,
             told.transitions);
  if (!told.announced.empty()) fmt::print("announced and came: {}\n", told.announced);
  if (told.row && told.row->information_gained) {
    fmt::print("it told {:.3g} nats", *told.row->information_gained);
    if (const auto expected = promised(*told.row)) fmt::print(" ({:.3g} were expected)", *expected);
    fmt::print("\n");
  }
  if (const DynamicsModel* model = lab.campaign().model(); model && model->noise)
    fmt::print("noise: {}\n", noise_in_words(*model->noise, lab.system().system.spec()));
  fmt::print("`rhc ask {}` plans the next\n", options.run);
}

struct ForgetOptions {
  std::string run;
  int experiment = 0, threads = 1;
};

void forget(const ForgetOptions& options) {
  Laboratory lab(options.run, options.threads);
  print_remarks(lab, options.run);
  const bool measured = !lab.notes()[options.experiment].source.empty();
  lab.forget(options.experiment);
  fmt::print("experiment {} is taken back; {} transitions are left. {}\n", options.experiment,
             lab.campaign().learner().transitions(),
             measured ? fmt::format("What was measured is kept in {}/forgotten", options.run)
                      : "Nothing was measured in it");
  for (int n = 1; measured && n <= lab.notes().count(); ++n)
    if (lab.notes()[n].state == ExperimentState::asked)
      fmt::print("experiment {} was planned with it; `rhc ask {} --anew` plans it without\n", n,
                 options.run);
}

}  // namespace

void add_tell(CLI::App& program, int&) {
  const auto options = std::make_shared<TellOptions>();
  CLI::App* command =
      program.add_subcommand("tell",
                             "Take what was measured in an experiment, and learn from it\n"
                             "Example: rhc tell runs/lab measured.csv");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command
      ->add_option("file", options->file,
                   "CSV file with a row a step and columns by name: what is measured, the "
                   "actions, and\nbetter also the time")
      ->type_name("FILE");
  command
      ->add_option("--experiment", options->experiment,
                   "Its number (default: the oldest that was asked for)")
      ->check(CLI::Range(1, 1000000));
  CLI::Option* aborted =
      command->add_flag("--aborted", options->tell.aborted,
                        "It ended early; without a file, before anything was measured");
  command->add_flag("--ended", options->tell.ended,
                    "The machine itself ended it early, such as by a limit switch or a fall: "
                    "plans keep off\nthe limit that this teaches");
  command
      ->add_flag("--import", options->tell.import,
                 "Data that were not asked for, such as those of earlier tests")
      ->excludes(aborted);
  add_measured_options(*command, options->tell.measured);
  add_threads_option(*command, options->threads);
  command->callback([options] { tell(*options); });
}

void add_forget(CLI::App& program, int&) {
  const auto options = std::make_shared<ForgetOptions>();
  CLI::App* command = program.add_subcommand(
      "forget",
      "Take back an experiment that went wrong: all is learned anew from the others\n"
      "Example: rhc forget runs/lab 7");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command->add_option("experiment", options->experiment, "Its number")
      ->required()
      ->check(CLI::Range(1, 1000000));
  add_threads_option(*command, options->threads);
  command->callback([options] { forget(*options); });
}

}  // namespace rhc::app
