// What looking while moving is worth: the task carried out with estimation, feedback and
// replanning.
//   replanning [SYSTEM ...] [seeds=20] [first=101] [episodes=4] [key=value ...]
// Settings as for `rhc explore`. For every system: with the true dynamics and no noise, how much
// more replanning costs than the plan it began with; with about 1 % of noise (usual_noise.h), the
// least that the true dynamics allow; and what models cost that learned from so many noisy
// episodes, open and closed, over the limit.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/learned_model.h"
#include "bench/usual_noise.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/settings.h"
#include "rhc/evaluate/closed_loop.h"
#include "rhc/evaluate/task_cost.h"
#include "rhc/study/aggregate.h"
#include "rhc/system/registry.h"

namespace {

using namespace rhc;

constexpr int kSteps[] = {0, 1, 2, 5, 10, 25};

double percent(double cost, double limit) { return 100 * (cost / limit - 1); }

void study(const std::string& name, int seeds, int first,
           const std::vector<std::string>& settings) {
  const System system = bundled_system(name);
  const SystemSpec& spec = system.spec();
  Config config = preset("default", spec);
  config.episodes = 4;
  for (const std::string& setting : settings) assign(config, setting);
  const int threads = hardware_threads();
  const Plan best = plan_with_truth(system, config.judge.limit_hops, threads);
  const double limit = best.objective;
  fmt::print("{}, limit {:.2f}\n{:<34}", name, limit, "replanned every ... steps (0: never)");
  for (const int k : kSteps) fmt::print(" {:>8}", k);

  fmt::print("\n{:<34}", "true dynamics, no noise, %");
  for (const int k : kSteps)
    fmt::print(
        " {:>8.3f}",
        percent(closed_loop_limit(system, {}, best.actions, {.replan = k}, 1, 1, threads), limit));
  std::fflush(stdout);
  config.noise.observation = bench::usual_noise(name);
  const NoiseLevels noise = noise_levels(config, spec);
  fmt::print("\n{:<34}", "true dynamics, noise, %");
  for (const int k : kSteps)
    fmt::print(" {:>8.3f}", percent(closed_loop_limit(system, noise, best.actions, {.replan = k},
                                                      20, 1, threads),
                                    limit));
  std::fflush(stdout);

  std::vector<std::vector<double>> costs(std::size(kSteps), std::vector<double>());
  for (auto& row : costs) row.resize(static_cast<std::size_t>(seeds));
  std::vector<double> open(static_cast<std::size_t>(seeds));
  parallel_for(seeds, threads, [&](int i) {
    Config own = config;
    own.seed = static_cast<std::uint64_t>(first + i);
    const DynamicsModel model = bench::learned_model(own, system);
    const std::vector<Plan> plans = plans_of_task(
        model, system, own.plan.stay_inside, own.judge.task_draws, task_planner_settings(own, 1));
    const Plan& plan =
        best_closed_loop(plans, model, system, own.plan.stay_inside, own.judge.task_draws, own.seed,
                         controller_settings(own), 1);
    const auto at = static_cast<std::size_t>(i);
    open[at] = percent(task_cost(system, plans[0].actions), limit);
    for (std::size_t k = 0; k < std::size(kSteps); ++k)
      costs[k][at] = percent(
          spec.task.total(closed_loop(system, noise, RandomStream(own.seed, "closed loop"), model,
                                      own.plan.stay_inside, plan.actions, {.replan = kSteps[k]})),
          limit);
  });
  for (const double share : {0.5, 0.9}) {
    fmt::print("\n{:<34}", fmt::format("{} noisy episodes, {}, %", config.episodes,
                                       share == 0.5 ? "median" : "9th decile"));
    for (const auto& row : costs) fmt::print(" {:>8.3f}", quantile(row, share));
    fmt::print("   open {:.3f}", quantile(open, share));
  }
  fmt::print("\n\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 20, first = 101;
  auto [systems, settings] =
      bench::read_arguments(argc, argv, {{"seeds", &seeds}, {"first", &first}});
  if (systems.empty()) systems = paper_system_names();
  try {
    for (const std::string& name : systems) study(name, seeds, first, settings);
  } catch (const InputError& error) {
    fmt::print(stderr, "replanning: {}\n", error.what());
    return 2;
  }
}
