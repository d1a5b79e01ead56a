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
#include "rhc/explore/experiment.h"
#include "rhc/explore/explorer.h"
#include "rhc/system/registry.h"

namespace rhc::app {

namespace {

struct Options {
  std::string system, config_file, out;
  std::optional<std::string> method;
  std::optional<int> episodes;
  std::optional<std::uint64_t> seed;
  int threads = hardware_threads();
  bool quiet = false;
  std::vector<std::string> settings;
};

volatile std::sig_atomic_t interrupted = 0;

// The first signal asks the run to end after the episode in hand, the second ends the program.
extern "C" void on_signal(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

// Later sources win: defaults, file, options, key=value.
Config resolve(const Options& options) {
  Config config;
  if (!options.config_file.empty()) read_config(config, options.config_file);
  if (!options.system.empty()) config.system = options.system;
  if (options.method) assign(config, "method", *options.method);
  if (options.episodes) assign(config, "episodes", std::to_string(*options.episodes));
  if (options.seed) assign(config, "seed", std::to_string(*options.seed));
  for (const std::string& setting : options.settings) assign(config, setting);
  config.method = method_name(config.method);
  config.system = make_system(config.system).spec().name;
  return config;
}

void print_header() {
  fmt::print("{:>7} {:>6} {:>10} {:>12} {:>12} {:>11} {:>12} {:>7} {:>7}\n", "episode", "steps",
             "rmse", "log-lik", "one-step", "coverage95", "evidence", "fit s", "eval s");
}

void print_scores(const std::string& label, const std::string& steps, double rmse,
                  const std::optional<Scores>& scores) {
  fmt::print("{:>7} {:>6} {:>10.4g}", label, steps, rmse);
  if (scores)
    fmt::print(" {:>12.6g} {:>12.6g} {:>11.3f}", scores->log_likelihood,
               scores->log_likelihood_one_step, scores->coverage95);
  else
    fmt::print(" {:>12} {:>12} {:>11}", "-", "-", "-");
}

void print_row(const MetricsRow& row) {
  print_scores(std::to_string(row.episode), std::to_string(row.steps), row.rmse, row.scores);
  if (row.evidence)
    fmt::print(" {:>12.6g} {:>7.2f} {:>7.2f}\n", *row.evidence, row.fit_seconds,
               row.evaluate_seconds);
  else
    fmt::print(" {:>12} {:>7} {:>7}\n", "-", "-", "-");
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
  if (!options.quiet) {
    fmt::print("exploring {} by method {}, {} episodes, seed {}\n", config.system, config.method,
               config.episodes, config.seed);
    print_header();
    std::fflush(stdout);
    events.on_best_achievable = [](const Scores& scores) {
      print_scores("best", "-", scores.rmse, scores);
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
  CLI::App* command = program.add_subcommand(
      "explore",
      "Explore a system, learn its dynamics and leave a run directory\n"
      "Example: rhc explore pendulum --method random --episodes 10 --seed 3 features=90");
  command->add_option("system", options->system, "Name of the system (see `rhc systems`)");
  command->add_option("--method", options->method, "Who decides what to try: random");
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
