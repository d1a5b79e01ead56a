#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/rhc/commands.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/explore/curious_explorer.h"
#include "rhc/explore/experiment.h"
#include "rhc/explore/explorer.h"
#include "rhc/io/files.h"
#include "rhc/io/problem_file.h"
#include "rhc/system/registry.h"

namespace rhc::app {

namespace {

struct Options {
  std::string system, config_file, out, preset = "default";
  std::optional<std::string> method;
  std::optional<int> episodes;
  std::optional<std::uint64_t> seed;
  int threads = hardware_threads();
  int dump_problem = 0;
  bool quiet = false, no_evaluation = false;
  std::vector<std::string> settings;
};

volatile std::sig_atomic_t interrupted = 0;

// The first signal asks the run to end after the episode in hand, the second ends the program.
extern "C" void on_signal(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

// Later sources win: preset, file, options, key=value.
Config resolve(const Options& options) {
  Config probe;
  if (!options.config_file.empty()) read_config(probe, options.config_file);
  const System system = make_system(options.system.empty() ? probe.system : options.system);

  Config config = preset(options.preset, system.spec());
  if (!options.config_file.empty()) read_config(config, options.config_file);
  config.system = system.spec().name;
  if (options.method) assign(config, "method", *options.method);
  if (options.episodes) assign(config, "episodes", std::to_string(*options.episodes));
  if (options.seed) assign(config, "seed", std::to_string(*options.seed));
  if (options.no_evaluation) {
    config.task = false;
    config.test_trajectories = 0;
  }
  for (const std::string& setting : options.settings) {
    assign(config, setting);
    if (config.system != system.spec().name)
      throw InputError("name the system as the first word, not as system=NAME");
  }
  config.method = method_name(config.method);
  config.features = features_for(config, system.spec());
  if (options.dump_problem > config.episodes)
    throw InputError(fmt::format("--dump-problem {} comes after the last of {} episodes",
                                 options.dump_problem, config.episodes));
  return config;
}

void print_header() {
  fmt::print("{:>7} {:>6} {:>9} {:>9} {:>9} {:>10} {:>10} {:>9} {:>10} {:>7} {:>7} {:>7}\n",
             "episode", "steps", "task cost", "planned", "gained", "rmse", "log-lik", "cover95",
             "evidence", "plan s", "fit s", "eval s");
}

// A number in its column, or a dash where there is none.
std::string cell(int width, const char* format, const std::optional<double>& value) {
  return fmt::format(" {:>{}}", value ? fmt::format(fmt::runtime(format), *value) : "-", width);
}

void print_scores(const std::optional<double>& rmse, const std::optional<Scores>& scores) {
  const auto score = [&](double Scores::*member) {
    return scores ? std::optional((*scores).*member) : std::nullopt;
  };
  fmt::print("{}{}{}", cell(10, "{:.4g}", rmse), cell(10, "{:.5g}", score(&Scores::log_likelihood)),
             cell(9, "{:.3f}", score(&Scores::coverage95)));
}

void print_row(const MetricsRow& row) {
  if (row.episode == 0 && row.task_cost_limit)
    fmt::print("{:>7} {:>6}{}   (the least a perfect model could reach)\n", "limit", "-",
               cell(9, "{:.2f}", row.task_cost_limit));
  fmt::print("{:>7} {:>6}{}{}{}", row.episode, row.steps, cell(9, "{:.2f}", row.task_cost),
             cell(9, "{:.1f}", row.information_planned), cell(9, "{:.1f}", row.information_gained));
  print_scores(row.rmse, row.scores);
  fmt::print("{} {:>7.2f} {:>7.2f} {:>7.2f}\n", cell(10, "{:.5g}", row.evidence), row.plan_seconds,
             row.fit_seconds, row.evaluate_seconds);
  std::fflush(stdout);
}

int explore(const Options& options) {
  const Config config = resolve(options);
  const System system = make_system(config.system);
  noise_levels(config, system.spec());  // refused here rather than after a directory was made
  const std::filesystem::path out =
      options.out.empty()
          ? free_path(fmt::format("runs/{}-{}-{}", config.system, config.method, config.seed))
          : std::filesystem::path(options.out);
  RunDirectory run(out, config);

  ExperimentEvents events;
  events.stop_requested = [] { return interrupted != 0; };
  if (options.dump_problem > 0)
    events.on_belief = [&](int episode, const BayesianLinearModel& belief) {
      if (episode != options.dump_problem) return;
      const SystemSpec& spec = system.spec();
      const Vector start = system.observe(spec.start);
      const Kept kept = kept_inside(spec, start, config.stay_inside, config.limit_margin);
      write_atomically(out / fmt::format("problem-{:04}.json", episode),
                       problem_json(spec, belief, start, kept.states, kept.angles));
    };
  if (!options.quiet) {
    fmt::print("exploring {} by method {}, {} episodes, seed {}\n", config.system, config.method,
               config.episodes, config.seed);
    print_header();
    std::fflush(stdout);
    events.on_best_achievable = [](const Scores& scores) {
      fmt::print("{:>7} {:>6} {:>9} {:>9} {:>9}", "best", "-", "-", "-", "-");
      print_scores(scores.rmse, scores);
      fmt::print("   (a model given uniform data)\n");
      std::fflush(stdout);
    };
    events.on_row = print_row;
  }
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  const ExperimentResult result = run_experiment(config, system, run, options.threads, events);

  if (result.interrupted) {
    fmt::print(stderr,
               "rhc: interrupted after episode {} of {}; what was learned so far is in {}\n",
               result.rows.back().episode, config.episodes, out.string());
    return kInterrupted;
  }
  if (!options.quiet) fmt::print("run directory: {}\n", out.string());
  return kDone;
}

}  // namespace

void add_explore(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("explore",
                             "Explore a system, learn its dynamics and leave a run directory\n"
                             "Example: rhc explore pendulum --episodes 10 --seed 3 features=90");
  command->add_option("system", options->system, "Name of the system (see `rhc systems`)");
  command->add_option("--method", options->method,
                      "Who decides what to try: rhc-evr (default), rhc-info, rhc-us or random");
  command->add_option("--preset", options->preset,
                      "Settings to begin with: default (the best we know) or paper");
  command->add_option("--episodes", options->episodes, "Experiments to run (default 20)");
  command->add_option("--seed", options->seed, "Decides every random number (default 1)");
  command
      ->add_option("--threads", options->threads,
                   "Threads; the results do not depend on it (default: all cores)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--config", options->config_file,
                      "TOML file with settings (see `rhc config show`)");
  command->add_option(
      "--out", options->out,
      "Run directory to make (default: runs/SYSTEM-METHOD-SEED, numbered when taken)");
  command
      ->add_option("--dump-problem", options->dump_problem,
                   "Also write the planning problem that the belief poses after this episode, as\n"
                   "problem-NNNN.json in the run directory (see `rhc plan`)")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--no-evaluation", options->no_evaluation,
                    "Explore and learn only: no task, no test trajectories");
  command->add_flag("--quiet", options->quiet, "Print nothing but errors");
  command->add_option("settings", options->settings, "key=value ... (see `rhc config show`)");
  command->callback([options, &exit_code] {
    // `rhc explore features=90 --config FILE`: the first word is a setting, not a system.
    if (options->system.find('=') != std::string::npos) {
      options->settings.insert(options->settings.begin(), options->system);
      options->system.clear();
    }
    if (options->system.empty() && options->config_file.empty())
      throw InputError("explore what? name a system (see `rhc systems`) or a --config file");
    exit_code = explore(*options);
  });
}

}  // namespace rhc::app
