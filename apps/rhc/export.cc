#include "rhc/store/export.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "apps/rhc/commands.h"
#include "rhc/core/error.h"
#include "rhc/format/files.h"

namespace rhc::app {

namespace {

struct ExportOptions {
  std::string run, format = "csv", out;
  bool metrics = false;
};

void export_to(const ExportOptions& options) {
  if (options.format == "npz" && options.out.empty() && ::isatty(STDOUT_FILENO))
    throw InputError("npz is no text for a terminal; name a file with --out, or pipe it on");
  std::error_code unknown;
  if (std::filesystem::is_directory(options.out, unknown))
    throw InputError(fmt::format("'{}' is a directory; name a file with --out", options.out));

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
}

}  // namespace

void add_export(CLI::App& program, int&) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command = program.add_subcommand(
      "export",
      "Print a run's data, or its metrics, in a format that other programs read\n"
      "Example: rhc export runs/pendulum-rhc-evr-1 --format npz --out pendulum.npz");
  command->add_option("run", options->run, "Run directory")->required();
  command
      ->add_option("--format", options->format,
                   "csv (default) or jsonl: a row a step; npz: numpy's arrays of all transitions\n"
                   "and metrics")
      ->check(CLI::IsMember(export_formats()));
  command->add_option("--out", options->out, "File to write (default: standard output)");
  command->add_flag("--metrics", options->metrics,
                    "A row an episode, of the metrics, instead of a row a step");
  command->callback([options] { export_to(*options); });
}

}  // namespace rhc::app
