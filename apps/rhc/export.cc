#include "rhc/store/export.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "apps/rhc/plan_options.h"
#include "rhc/core/error.h"
#include "rhc/format/files.h"
#include "rhc/run/c_export.h"

namespace rhc::app {

namespace {

struct ExportOptions {
  std::string run, format = "csv", out;
  bool metrics = false;
  PlanningOptions plan;
};

// The program of a controller, which is planned here and now.
int export_controller(const ExportOptions& options) {
  if (options.metrics) throw InputError("--metrics is of data; leave it out with --format c");
  const RunRecord run = read_run(options.run);
  for (const std::string& remark : run.remarks())
    fmt::print(stderr, "rhc: {}: {}\n", options.run, remark);
  const Solution solution = solve_run(run, solve_settings(options.plan, run));
  for (const std::string& remark : solution.remarks) fmt::print(stderr, "rhc: {}\n", remark);
  write_or_print(options.out, c_controller(solution, origin_of(run, solution)));
  fmt::print(stderr, "Predicted cost {:.6g} over {} steps ({}){}\n", solution.plan.objective,
             solution.spec.horizon, name(solution.plan.status),
             options.out.empty() ? "" : "; written to " + options.out);
  return tell_status(solution);
}

int export_to(const ExportOptions& options) {
  if (options.format == "npz" && options.out.empty() && ::isatty(STDOUT_FILENO))
    throw InputError("npz is no text for a terminal; name a file with --out, or pipe it on");
  std::error_code unknown;
  if (std::filesystem::is_directory(options.out, unknown))
    throw InputError(fmt::format("'{}' is a directory; name a file with --out", options.out));
  if (options.format == "c") return export_controller(options);

  const RunRecord run = read_run(options.run);
  for (const std::string& remark : run.remarks())
    fmt::print(stderr, "rhc: {}: {}\n", options.run, remark);
  for (const std::string& damage : run.damaged) fmt::print(stderr, "rhc: damaged: {}\n", damage);
  for (std::size_t i = 0; i < run.episodes.size(); ++i)
    if (!run.episodes[i])
      fmt::print(stderr, "rhc: warning: episode {} is left out: its file is missing or damaged\n",
                 i + 1);

  const std::string content = export_run(run, options.format, options.metrics);
  if (options.out.empty())
    fmt::print("{}", content);
  else
    write_output(options.out, content);
  return kDone;
}

constexpr char kOfController[] = "Options of a controller (--format c)";

void refuse_plan_options(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && option->get_group() == kOfController)
      throw InputError(
          fmt::format("{} is of a controller; say --format c, too", option->get_name()));
}

std::vector<std::string> formats() {
  std::vector<std::string> all = export_formats();
  all.push_back("c");
  return all;
}

}  // namespace

void add_export(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command = program.add_subcommand(
      "export",
      "Print a run's data, or its metrics, in a format that other programs read; or a controller "
      "of\n"
      "what was learned, as one file of C for a microcontroller\n"
      "Example: rhc export runs/pendulum-rhc-evr-1 --format npz --out pendulum.npz\n"
      "         rhc export runs/lab --format c --target angle=90deg --out controller.c");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command
      ->add_option("--format", options->format,
                   "csv (default) or jsonl: a row a step; npz: numpy's arrays of all transitions\n"
                   "and metrics; c: a controller (plan, gains and filter)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember(formats()));
  command->add_option("--out", options->out, "File to write (default: standard output)")
      ->type_name("FILE");
  command->add_flag("--metrics", options->metrics,
                    "A row an episode, of the metrics, instead of a row a step");
  command->option_defaults()->group(kOfController);
  add_plan_options(*command, options->plan);
  command->callback([options, command, &exit_code] {
    if (options->format != "c") refuse_plan_options(*command);
    exit_code = export_to(*options);
  });
}

}  // namespace rhc::app
