// Whether the bands that a run announces hold: shares of what came inside the 95 % bands, before
// episodes 2 to 5, pooled over seeds; of the three systems without noise and with about 1 % of it,
// and of machines (machines.h).
//   bands [SYSTEM | MACHINE ...] [seeds=20] [first=101] [key=value ...]  settings as `rhc explore`
// `least` is the seed that fared worst over its four episodes. The interval score is the width of a
// band and 40 times what lies outside of it, in standard deviations of the observation over the
// region of interest: smaller is better, and neither width nor doubt is a way round it. `rest`
// counts episodes for which nothing but rest was found, `outside` those that left the limits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/machines.h"
#include "bench/usual_noise.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/settings.h"
#include "rhc/explore/algorithm.h"
#include "rhc/explore/carry_out.h"
#include "rhc/explore/trouble.h"
#include "rhc/system/registry.h"

namespace {

using namespace rhc;

constexpr int kEpisodes = 5;
constexpr double kReach = 1.959964;

struct Count {
  double inside = 0, points = 0, score = 0, rests = 0, outside = 0;

  void add(const Count& other) {
    inside += other.inside;
    points += other.points;
    score += other.score;
    rests += other.rests;
    outside += other.outside;
  }
  double share() const { return points > 0 ? inside / points : 1; }
};

Count compare(const Forecast& announced, const Trajectory& seen, const Vector& scale) {
  Count count;
  for (Index t = 1; t <= seen.steps(); ++t)
    for (Index i = 0; i < scale.size(); ++i) {
      const double half = kReach * announced.deviation(i, t);
      const double off = std::abs(seen.observations(i, t) - announced.mean(i, t));
      count.inside += off <= half;
      count.points += 1;
      count.score += (2 * half + 40 * std::max(0.0, off - half)) / scale[i];
    }
  return count;
}

struct Arena {
  std::string name;
  const char* kind;
  System system;
  Config config{};
  std::optional<bench::Machine> machine{};

  std::unique_ptr<Plant> plant(std::uint64_t seed, int episode) const {
    const RandomStream randomness(seed, "plant", static_cast<std::uint64_t>(episode));
    if (machine) return std::make_unique<bench::MachinePlant>(*machine, randomness);
    return std::make_unique<SimulatedPlant>(system, noise_levels(config, system.spec()),
                                            randomness);
  }
};

// By episode, from the second.
std::vector<Count> run_once(const Arena& arena, std::uint64_t seed) {
  Config config = arena.config;
  config.seed = seed;
  const SystemSpec& spec = arena.system.spec();
  const Matrix region =
      sample_region(arena.system, 1000, RandomStream(0, "scale")).topRows(spec.outputs());
  const Vector scale = standardization_of(region).scale;
  Campaign campaign(config, arena.system, 1);
  std::vector<Count> counts;
  for (int episode = 1; episode <= kEpisodes; ++episode) {
    const Proposal proposal = campaign.propose(episode, {.announced = true});
    const std::unique_ptr<Plant> plant = arena.plant(seed, episode);
    const Trajectory seen =
        carry_out([&](const Vector&, int t) -> Vector { return proposal.actions.col(t); }, *plant,
                  spec, episode, {});
    if (episode > 1) {
      Count count = compare(*proposal.forecast, seen, scale);
      count.rests = proposal.status != name(PlanStatus::repeated) &&
                    !plan_trouble(proposal.status, proposal.actions, spec).empty();
      count.outside = !spec.limits.contains(seen.observations.col(seen.steps()));
      counts.push_back(count);
    }
    campaign.learn(proposal, seen);
  }
  return counts;
}

void study(const Arena& arena, int seeds, int first) {
  std::vector<std::vector<Count>> runs(static_cast<std::size_t>(seeds));
  parallel_for(seeds, hardware_threads(), [&](int i) {
    runs[static_cast<std::size_t>(i)] = run_once(arena, static_cast<std::uint64_t>(first + i));
  });
  double least = 1;
  std::vector<Count> pooled(kEpisodes - 1);
  Count all;
  for (const auto& run : runs) {
    Count of_run;
    for (std::size_t e = 0; e < run.size(); ++e) {
      pooled[e].add(run[e]);
      of_run.add(run[e]);
    }
    least = std::min(least, of_run.share());
    all.add(of_run);
  }
  fmt::print("{:<13} {:<7}", arena.name, arena.kind);
  for (const Count& count : pooled) fmt::print(" {:>6.3f}", count.share());
  fmt::print(" {:>7.3f} |", least);
  for (const Count& count : pooled) fmt::print(" {:>8.4f}", count.score / count.points);
  fmt::print(" {:>9.4f} | {:>4} {:>7}\n", all.score / all.points, all.rests, all.outside);
  std::fflush(stdout);
}

void study(const std::string& name, int seeds, int first,
           const std::vector<std::string>& settings) {
  const auto config_for = [&](const System& system) {
    Config config = preset("default", system.spec());
    for (const std::string& setting : settings) assign(config, setting);
    return config;
  };
  for (const bench::Machine& machine : bench::machines())
    if (machine.system.spec().name == name)
      return study({name, "machine", machine.system, config_for(machine.system), machine}, seeds,
                   first);
  const System system = bundled_system(name);
  study({name, "clean", system, config_for(system)}, seeds, first);
  Arena noisy{name, "noisy", system, config_for(system)};
  noisy.config.noise.observation = bench::usual_noise(name);
  if (!noisy.config.noise.observation.empty()) study(noisy, seeds, first);
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 20, first = 101;
  auto [names, settings] =
      bench::read_arguments(argc, argv, {{"seeds", &seeds}, {"first", &first}});
  if (names.empty()) {
    names = paper_system_names();
    for (const bench::Machine& machine : bench::machines())
      names.push_back(machine.system.spec().name);
  }
  fmt::print(
      "announced 95 % bands, seeds {} to {}\n{:<21} share inside before episodes 2 to 5, least | "
      "interval scores, mean                          | rest outside\n",
      first, first + seeds - 1, "");
  try {
    for (const std::string& name : names) study(name, seeds, first, settings);
  } catch (const InputError& error) {
    fmt::print(stderr, "bands: {}\n", error.what());
    return 2;
  }
}
