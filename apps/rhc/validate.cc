#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "apps/rhc/threads_option.h"
#include "rhc/format/files.h"
#include "rhc/run/validate_run.h"
#include "rhc/store/lock.h"

namespace rhc::app {

namespace {

// Of a 95 % band that does what it says, give or take what some hundred forecasts leave open.
constexpr double kLeastCoverage = 0.90, kMostCoverage = 0.98;

struct ValidateOptions {
  std::string run;
  std::vector<std::string> logs;
  ValidationSettings validation;
  MeasuredSettings measured;
  bool json = false, write = false;
};

// What the coverages come to, in one sentence.
std::string verdict(const ValidationRecord& record) {
  const Vector inside = record.validation.coverage.rightCols(1);
  std::vector<std::string> narrow, wide;
  for (std::size_t i = 0; i < record.observations.size(); ++i) {
    const double share = inside[static_cast<Index>(i)];
    if (share < kLeastCoverage) narrow.push_back(record.observations[i]);
    if (share > kMostCoverage) wide.push_back(record.observations[i]);
  }
  if (narrow.empty() && wide.empty()) {
    const std::string least = fmt::format("{:.0f}", 100 * inside.minCoeff()),
                      most = fmt::format("{:.0f}", 100 * inside.maxCoeff());
    return fmt::format("The bands hold: of each observation, {} of 100 are inside.",
                       least == most ? least : least + " to " + most);
  }
  std::vector<std::string> parts;
  if (!narrow.empty())
    parts.push_back(fmt::format("too narrow for {} (the model is surer than it should be)",
                                fmt::join(narrow, ", ")));
  if (!wide.empty())
    parts.push_back(
        fmt::format("too wide for {} (it knows more than it says)", fmt::join(wide, ", ")));
  const std::size_t others = record.observations.size() - narrow.size() - wide.size();
  return fmt::format("The bands are {}{}.", fmt::join(parts, ", and "),
                     others > 0 ? ", and hold for the others" : "");
}

void print_validation(const ValidationRecord& record) {
  const Validation& all = record.validation;
  const Index last = all.steps() - 1;
  fmt::print("{} forecasts of {} step{}, by a model of {} transitions\n", all.points, all.steps(),
             all.steps() == 1 ? "" : "s", record.transitions);
  std::size_t width = 16;
  for (const std::string& name : record.observations) width = std::max(width, name.size());
  fmt::print("{:<{}} {:>12} {:>14} {:>14}\n", "", width, "rmse", "nothing moves", "in 95 % band");
  for (std::size_t i = 0; i < record.observations.size(); ++i) {
    const auto row = static_cast<Index>(i);
    fmt::print("{:<{}} {:>12.4g} {:>14.4g} {:>14.3f}\n", record.observations[i], width,
               all.rmse(row, last), all.nothing_moves(row, last), all.coverage(row, last));
  }
  fmt::print("{}\n", verdict(record));
}

void validate_logs(const ValidateOptions& options) {
  RunRecord run = read_run(options.run);
  std::optional<Lock> lock;
  if (options.write) {
    lock.emplace(options.run);
    run = read_run(options.run);
  }
  for (const std::string& remark : run.remarks())
    fmt::print(stderr, "rhc: {}: {}\n", options.run, remark);
  std::vector<ValidationLog> logs;
  for (const std::string& file : options.logs) {
    logs.push_back(read_validation_log(run, file, options.measured));
    for (const std::string& remark : logs.back().remarks)
      fmt::print(stderr, "rhc: {}: {}\n", file, remark);
  }
  const ValidationRecord record = validate_run(run, logs, options.validation);
  if (lock) write_atomically(run.path / kValidationFile, validation_text(record));
  for (const std::string& damage : run.damaged)
    fmt::print(stderr, "rhc: damaged, which does not matter here: {}\n", damage);
  if (options.json)
    fmt::print("{}\n", dump_any(validation_json(record)));
  else
    print_validation(record);
  if (lock && !options.json)
    fmt::print("written to {}; `rhc report {}` shows it\n", (run.path / kValidationFile).string(),
               options.run);
}

}  // namespace

void add_validate(CLI::App& program, int&) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = program.add_subcommand(
      "validate",
      "Compare what a run has learned with logs that it did not learn from: the error of\n"
      "forecasts some steps ahead, and the share inside their 95 % bands\n"
      "Example: rhc validate runs/lab other-day.csv --steps 20");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command->add_option("logs", options->logs, "CSV files as `rhc tell` takes them, or episodes")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--steps", options->validation.steps,
                   "Steps ahead, with the actions as they were (default: 10)")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--every", options->validation.every,
                   "A forecast from every so many rows (default: 1)")
      ->check(CLI::Range(1, 1000000000));
  add_measured_options(*command, options->measured);
  add_threads_option(*command, options->validation.threads);
  command->add_flag("--json", options->json, "Print one JSON object instead of a table");
  command->add_flag("--write", options->write,
                    "Keep the result in the run, where its report shows it");
  command->callback([options] { validate_logs(*options); });
}

}  // namespace rhc::app
