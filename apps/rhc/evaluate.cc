#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/rhc/commands.h"
#include "apps/rhc/run_to_end.h"
#include "apps/rhc/threads_option.h"
#include "rhc/core/error.h"
#include "rhc/describe/settings.h"
#include "rhc/run/evaluate_run.h"

namespace rhc::app {

namespace {

struct EvaluateOptions {
  std::string run;
  int threads = 1;
  bool write = false, json = false;
  std::vector<std::string> settings;
};

// "task = true" of every setting that is not as it was.
std::vector<std::string> changed_settings(const Config& before, const Config& after) {
  std::vector<std::string> changed;
  for (const Setting& setting : settings())
    if (setting.show(before) != setting.show(after))
      changed.push_back(setting.key + " = " + setting.show(after));
  return changed;
}

void print_comparison(const std::vector<Difference>& found,
                      const std::vector<std::string>& changed) {
  if (!changed.empty()) fmt::print("settings changed: {}\n", fmt::join(changed, ", "));
  if (found.empty()) {
    fmt::print("the same to the last bit as what is stored\n");
    return;
  }
  std::vector<std::string> apart, one_sided;
  for (const Difference& d : found) {
    const std::string where = d.episode ? fmt::format(" (episode {})", *d.episode) : "";
    if (std::isinf(d.relative))
      one_sided.push_back(d.column);
    else
      apart.push_back(fmt::format("  {:<40} {:.2g}{}", d.column, d.relative, where));
  }
  if (!apart.empty())
    fmt::print("largest relative difference to what is stored:\n{}\n", fmt::join(apart, "\n"));
  if (!one_sided.empty())
    fmt::print("stored or computed, but not both: {}\n", fmt::join(one_sided, ", "));
}

void print_comparison_json(const std::vector<Difference>& found,
                           const std::vector<std::string>& changed) {
  Json columns = Json::object();
  for (const Difference& difference : found)
    columns[difference.column] = difference.relative;  // null where it is infinite
  fmt::print("{}\n", Json{{"event", "comparison"},
                          {"same", found.empty()},
                          {"settings_changed", changed},
                          {"largest_relative_difference", columns}}
                         .dump());
}

int evaluate(const EvaluateOptions& options) {
  RunRecord run = read_run(options.run);
  std::optional<Lock> lock;
  if (options.write) {
    lock.emplace(options.run);
    run = read_run(options.run);
    if (!run.checkpoint)
      throw InputError(
          fmt::format("'{}' has no checkpoint that could take the result, so it was "
                      "not evaluated; `rhc resume {}{}` makes one",
                      options.run, options.run, run.damaged.empty() ? "" : " --repair"));
  }
  Config config = run.config;
  std::vector<GivenSetting> given;
  for (const std::string& words : options.settings) {
    assign_evaluation(config, words);
    given.push_back(given_setting(words));
  }
  assign(config, given);  // refuses those that contradict each other

  Config shown = config;
  shown.episodes = run.episodes_done();
  Progress progress(progress_style(false, options.json), fmt::format("evaluating {}:", options.run),
                    options.run, shown, 0);
  RunEvents events;
  progress.attach(events);
  const System system = system_of(run);
  const NewEvaluation evaluation = evaluate_run(system, run, config, options.threads, events);
  if (lock) replace_evaluation(*lock, run, evaluation);

  const std::vector<Difference> found = differences(run, evaluation);
  const std::vector<std::string> changed = changed_settings(run.config, config);
  if (options.json) print_comparison_json(found, changed);
  std::optional<std::filesystem::path> report;
  if (lock) report = leave_report(system, options.run, options.threads);
  progress.end(lock ? "written" : "evaluated", report);
  if (!options.json) {
    print_comparison(found, changed);
    if (lock) fmt::print("written into {}\n", options.run);
    if (report) fmt::print("report: {}\n", report->string());
  }
  for (const std::string& remark : run.remarks())
    fmt::print(stderr, "rhc: {}: {}\n", options.run, remark);
  for (const std::string& damage : run.damaged)
    fmt::print(stderr, "rhc: damaged, which does not matter here: {}\n", damage);
  return kDone;
}

}  // namespace

void add_evaluate(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command = program.add_subcommand(
      "evaluate",
      "Compute a run's metrics anew from its episodes, and compare them with those stored\n"
      "Example: rhc evaluate runs/pendulum-rhc-evr-1 --write task=true test_trajectories=1000");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  add_threads_option(*command, options->threads);
  command->add_flag("--write", options->write,
                    "Replace the run's metrics by these; `rhc resume` then goes on with them");
  command->add_flag("--json", options->json, "Print one JSON object a line instead of a table");
  command
      ->add_option("settings", options->settings,
                   fmt::format("key=value ... of the evaluation: {}",
                               fmt::join(evaluation_settings(), ", ")))
      ->type_name("KEY=VALUE");
  command->callback([options, &exit_code] { exit_code = evaluate(*options); });
}

}  // namespace rhc::app
