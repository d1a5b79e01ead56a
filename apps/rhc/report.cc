#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/rhc/commands.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/core/text.h"
#include "rhc/report/pictures.h"
#include "rhc/report/run_report.h"

namespace rhc::app {

namespace {

struct ReportOptions {
  std::string run, out, plane, pictures;
};

void report(const ReportOptions& options) {
  ReportSettings settings{.threads = hardware_threads()};
  if (!options.plane.empty()) {
    const auto names = split(options.plane, ',');
    if (names.size() != 2)
      throw InputError("--plane takes two variables, such as --plane angle,thetadot");
    settings.plane = {std::string(trim(names[0])), std::string(trim(names[1]))};
  }
  const RunRecord run = read_run(options.run);
  const Json data = run_report_data(run, system_of(run), settings);
  for (const Json& problem : data["problems"]) {
    const auto text = problem.get<std::string>();
    const bool mended =
        std::find(run.recovered.begin(), run.recovered.end(), text) != run.recovered.end();
    fmt::print(stderr, "rhc: {}{}\n", mended ? "" : "damaged: ", text);
  }
  const std::filesystem::path path = write_report(
      run, data,
      options.out.empty() ? std::nullopt : std::optional<std::filesystem::path>(options.out));
  fmt::print("report: {}\n", path.string());
  if (options.pictures.empty()) return;
  for (const std::filesystem::path& picture : save_pictures(path, options.pictures))
    fmt::print("picture: {}\n", picture.string());
}

}  // namespace

void add_report(CLI::App& program, int&) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = program.add_subcommand(
      "report",
      "Write a run's report: one HTML file that opens anywhere, without a network\n"
      "Example: rhc report runs/pendulum-rhc-evr-1 --png pictures");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command->add_option("--out", options->out, "File to write (default: RUN/report.html)")
      ->type_name("FILE");
  command
      ->add_option("--plane", options->plane,
                   "Two variables x,y of the plane that shows where the model is unsure\n"
                   "(default: all pairs, up to six)")
      ->type_name("X,Y");
  command
      ->add_option("--png", options->pictures,
                   "Also save every chart as a PNG file in this directory (needs Chromium)")
      ->type_name("DIR");
  command->callback([options] { report(*options); });
}

}  // namespace rhc::app
