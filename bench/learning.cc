// How fast the methods learn: whole runs over many seeds, judged by the task's cost.
//   learning [SYSTEM ...] [seeds=20] [first=1] [key=value ...]     settings as for `rhc explore`
// `observation_noise=usual` is about 1 % of each observation (usual_noise.h).
// Prints, for every system, the deciles of the task's cost after each episode, and the nats that an
// episode promised, taught, and that uniform random actions would have taught the same model.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/usual_noise.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/settings.h"
#include "rhc/explore/explorer.h"
#include "rhc/run/explore_run.h"
#include "rhc/study/aggregate.h"
#include "rhc/system/registry.h"
#include "tests/temporary_directory.h"

namespace {

using namespace rhc;

// What uniform random actions, carried out in the true system, would teach this model.
double random_information(const Regression& model, const System& system, RandomStream randomness) {
  const SystemSpec& spec = system.spec();
  Matrix inputs(spec.inputs(), spec.horizon);
  Vector state = spec.start;
  Index steps = 0;
  for (; steps < spec.horizon; ++steps) {
    const Vector action = randomness.uniform_in(spec.action_bounds);
    inputs.col(steps) << system.observe(state), action;
    state = system.step(state, action);
    if (!spec.limits.contains(system.observe(state))) break;
  }
  return information(model, inputs.leftCols(steps));
}

struct Run {
  std::vector<MetricsRow> rows;
  std::vector<double> random_gain;  // by episode
  double seconds = 0;               // planning and learning only
};

Run run_once(Config config, const System& system, std::uint64_t seed) {
  config.seed = seed;
  const TemporaryDirectory folder;
  RunDirectory directory(folder.path() / "run", config);
  Run run;
  run.random_gain.push_back(0);
  RunEvents events;
  events.on_model = [&](int episode, const DynamicsModel& model) {
    run.random_gain.push_back(
        random_information(model.regression, system,
                           RandomStream(seed, "rival", static_cast<std::uint64_t>(episode))));
  };
  run.rows = explore_run(system, directory, 1, events).rows;
  for (const MetricsRow& row : run.rows) run.seconds += row.plan_seconds + row.fit_seconds;
  return run;
}

// "-" where there is none: of what was not asked for, and of what was planned while nothing was
// known.
std::string or_none(const std::vector<double>& values, double share) {
  return values.empty() ? "-" : fmt::format("{:.1f}", quantile(values, share));
}

void study(const std::string& name, int seeds, int first,
           const std::vector<std::string>& settings) {
  const System system = bundled_system(name);
  Config config = preset("default", system.spec());
  for (const std::string& setting : settings)
    if (setting.starts_with("preset=")) config = preset(setting.substr(7), system.spec());
  config.judge.test_trajectories = 0;
  for (const std::string& setting : settings)
    if (setting == "observation_noise=usual")
      config.noise.observation = bench::usual_noise(name);
    else if (!setting.starts_with("preset="))
      assign(config, setting);
  config.model.features = features_for(config, system.spec());
  config.method = method_name(config.method);

  std::vector<Run> runs(static_cast<std::size_t>(seeds));
  parallel_for(seeds, hardware_threads(), [&](int i) {
    runs[static_cast<std::size_t>(i)] =
        run_once(config, system, static_cast<std::uint64_t>(first + i));
  });

  const auto column = [&](std::size_t episode, auto&& value) {
    std::vector<double> values;
    for (const Run& run : runs)
      if (const auto v = value(run, run.rows[episode])) values.push_back(*v);
    return values;
  };
  fmt::print("{}, {}, {} features, seeds {} to {}; limit {:.2f}\n", name, config.method,
             config.model.features, first, first + seeds - 1,
             runs[0].rows[0].task_cost_limit.value_or(0));
  // The task carried out blindly, and with feedback; and the nats.
  fmt::print("{:>7} {:>10} {:>10} {:>10} {:>10} | {:>10} {:>10} | {:>9} {:>9} {:>9}\n", "episode",
             "1st decile", "median", "9th decile", "predicted", "closed", "9th decile", "planned",
             "gained", "random");
  for (std::size_t e = 1; e < runs[0].rows.size(); ++e) {
    const auto at = [&](double share, auto&& value) { return or_none(column(e, value), share); };
    const auto cost = [](const Run&, const MetricsRow& row) { return row.task_cost; };
    const auto closed = [](const Run&, const MetricsRow& row) { return row.task_cost_closed; };
    fmt::print("{:>7} {:>10} {:>10} {:>10} {:>10} | {:>10} {:>10} | {:>9} {:>9} {:>9}\n", e,
               at(0.1, cost), at(0.5, cost), at(0.9, cost),
               at(0.5, [](const Run&, const MetricsRow& row) { return row.task_cost_predicted; }),
               at(0.5, closed), at(0.9, closed),
               at(0.5, [](const Run&, const MetricsRow& row) { return row.information_planned; }),
               at(0.5, [](const Run&, const MetricsRow& row) { return row.information_gained; }),
               at(0.5, [&](const Run& run, const MetricsRow&) {
                 return std::optional(run.random_gain[e - 1]);
               }));
  }
  std::vector<double> seconds;
  for (const Run& run : runs) seconds.push_back(run.seconds);
  fmt::print("planning and learning: {:.2f} s a run in the median\n\n", quantile(seconds, 0.5));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 20, first = 1;
  auto [systems, settings] =
      bench::read_arguments(argc, argv, {{"seeds", &seeds}, {"first", &first}});
  if (systems.empty()) systems = paper_system_names();
  try {
    for (const std::string& name : systems) study(name, seeds, first, settings);
  } catch (const InputError& error) {
    fmt::print(stderr, "learning: {}\n", error.what());
    return 2;
  }
}
