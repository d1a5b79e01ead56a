#include <fmt/format.h>

#include <memory>

#include "apps/rhc/commands.h"
#include "apps/rhc/run_sweep.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/format/files.h"
#include "rhc/report/page.h"
#include "rhc/report/pictures.h"
#include "rhc/report/reproduce_report.h"
#include "rhc/report/reproduce_tables.h"
#include "rhc/study/collect.h"
#include "rhc/study/paper_grids.h"

namespace rhc::app {

namespace {

struct ReproduceOptions {
  std::string grid;
  bool quick = false, no_pictures = false;
  SweepOptions how;
};

// The paper's figure 2 is of uncertainty sampling; of another method where there is none of it.
std::optional<RunRecord> run_of_figure2(const std::vector<RunSummary>& runs) {
  const RunSummary* chosen = nullptr;
  for (const RunSummary& run : runs) {
    if (run.config.system != "pendulum") continue;
    if (!chosen || (run.config.method == "rhc-us" && chosen->config.method != "rhc-us"))
      chosen = &run;
  }
  return chosen ? std::optional(read_run(chosen->path)) : std::nullopt;
}

// What a person wants to see in the end, from whatever is there.
void leave_results(const ReproduceOptions& options, const Sweep& sweep) {
  const int threads = hardware_threads();
  const Collected collected = collect(sweep, threads);
  if (collected.runs.empty())
    throw InputError(fmt::format("no run of '{}' has begun yet", sweep.path.string()));
  Json data = reproduce_report_data(collected.runs, run_of_figure2(collected.runs), threads);
  for (const std::string& reason : collected.left_out) data["warnings"].push_back(reason);
  std::vector<std::string> warnings;
  const std::vector<Group> groups = group_runs(collected.runs, warnings);
  write_results(collected.runs, sweep.path / "results.csv", threads);
  write_atomically(sweep.path / "curves.csv", curves_csv(groups));
  const std::string tables = reproduce_tables(data);
  write_atomically(sweep.path / "results.md", tables);
  const auto tell = [&](const char* what, const std::filesystem::path& path) {
    if (!options.how.quiet && !options.how.json) fmt::print("{}: {}\n", what, path.string());
  };
  if (!options.how.quiet && !options.how.json) fmt::print("\n{}\n", tables);
  tell("tables", sweep.path / "results.md");
  tell("all numbers", sweep.path / "results.csv");
  tell("medians and deciles", sweep.path / "curves.csv");
  if (!pages_available()) return;
  const std::filesystem::path page_file = sweep.path / "reproduce.html";
  write_atomically(page_file, page("Receding Horizon Curiosity, reproduced", data));
  if (!options.no_pictures) {
    try {
      save_pictures(page_file, sweep.path / "pictures");
      tell("pictures", sweep.path / "pictures");
    } catch (const IoError& error) {
      fmt::print(stderr, "rhc: no pictures were saved: {}\n", error.what());
    }
  }
  tell("page", page_file);
}

int reproduce(ReproduceOptions options) {
  SweepOptions& how = options.how;
  if (how.out.empty()) how.out = options.quick ? "reproduce-quick" : "reproduce";
  const std::string text = !options.grid.empty() ? read_input(options.grid)
                           : options.quick       ? quick_grid()
                                                 : paper_grid();
  const std::string name = !options.grid.empty() ? options.grid
                           : options.quick       ? "grid of --quick"
                                                 : "grid of the paper";
  const int code = run_sweep(how, text, name);
  if (how.dry_run || code == kInterrupted) return code;
  const Sweep sweep = open_sweep(how.out);
  // Slurm's tasks are still to come, but for a second call.
  if (how.launcher == "slurm")
    for (const PlannedRun& run : sweep.plan.runs)
      if (const RunState state = status_of(sweep, run).state;
          state != RunState::finished && state != RunState::failed) {
        if (!how.quiet && !how.json)
          fmt::print("the same command again, when all is done, makes the page\n");
        return code;
      }
  leave_results(options, sweep);
  return code;
}

}  // namespace

void add_reproduce(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<ReproduceOptions>();
  CLI::App* command = program.add_subcommand(
      "reproduce",
      "Do the experiments of the paper and more, and leave its figures and tables on one page;\n"
      "stopped, the same command goes on\n"
      "Example: rhc reproduce --quick --out try");
  command->add_flag("--quick", options->quick,
                    "3 seeds, 8 episodes, 1000 test trajectories, no MAX: minutes, not hours");
  command
      ->add_option("--out", options->how.out,
                   "Directory to make (default: reproduce, or reproduce-quick)")
      ->type_name("DIR");
  command->add_option("--grid", options->grid, "A grid of your own, as for `rhc sweep`")
      ->type_name("FILE")
      ->excludes("--quick");
  command->add_flag("--no-pictures", options->no_pictures,
                    "Leave out the PNG files, which need Chromium");
  add_sweep_options(*command, options->how);
  command->callback([options, &exit_code] { exit_code = reproduce(*options); });
}

}  // namespace rhc::app
