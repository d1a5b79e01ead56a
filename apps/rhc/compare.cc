#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/rhc/commands.h"
#include "rhc/core/error.h"
#include "rhc/format/files.h"
#include "rhc/report/compare_report.h"
#include "rhc/report/page.h"
#include "rhc/report/pictures.h"

namespace rhc::app {

namespace {

struct CompareOptions {
  std::vector<std::string> runs;
  std::string out = "compare.html", pictures;
};

int compare(const CompareOptions& options) {
  std::vector<RunSummary> runs;
  std::vector<std::string> left_out;
  for (const std::string& given : options.runs) {
    const auto found = find_runs(given);
    // Reading what holds no run says so in its own words.
    if (found.empty()) read_summary(given);
    for (const std::filesystem::path& path : found) {
      try {
        RunSummary run = read_summary(path);
        if (run.has_all_rows())
          runs.push_back(std::move(run));
        else
          left_out.push_back("left out: " + run.remark);
      } catch (const InputError& error) {
        // One of many must not keep the others from being seen; one that was named itself is asked
        // for.
        if (path == given) throw;
        left_out.push_back(fmt::format("left out: {}", error.what()));
      }
    }
  }
  if (runs.empty()) throw InputError(left_out.at(0));
  Json data = compare_report_data(runs);
  for (const std::string& reason : left_out) data["warnings"].push_back(reason);
  for (const Json& warning : data["warnings"])
    fmt::print(stderr, "rhc: {}\n", warning.get<std::string>());
  fmt::print("{}", compare_table(data));
  write_output(options.out, page("Comparison of runs", data));
  fmt::print("comparison: {}\n", options.out);
  if (!options.pictures.empty())
    for (const std::filesystem::path& picture : save_pictures(options.out, options.pictures))
      fmt::print("picture: {}\n", picture.string());
  const bool damaged =
      std::any_of(runs.begin(), runs.end(), [](const auto& run) { return !run.damaged.empty(); });
  return left_out.empty() && !damaged ? kDone : kFailed;
}

}  // namespace

void add_compare(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = program.add_subcommand(
      "compare",
      "Compare runs on one page: medians and deciles over seeds for each method\n"
      "Example: rhc compare runs/pendulum-* --out pendulum.html");
  command->add_option("runs", options->runs, "Run directories, or folders of them")
      ->type_name("RUN")
      ->required();
  command->add_option("--out", options->out, "File to write (default: compare.html)")
      ->type_name("FILE");
  command
      ->add_option("--png", options->pictures,
                   "Also save every chart as a PNG file in this directory (needs Chromium)")
      ->type_name("DIR");
  command->callback([options, &exit_code] { exit_code = compare(*options); });
}

}  // namespace rhc::app
