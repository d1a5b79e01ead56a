// How well a model knows what it does not know: coverage of its 95 % intervals one step ahead,
// after ten random episodes, over seeds, systems and levels of observation noise; and that of its
// free-running forecasts after two and four episodes, on unseen random trajectories.
//   calibration [SEEDS [key=value ...]]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/usual_noise.h"
#include "rhc/core/parallel.h"
#include "rhc/describe/settings.h"
#include "rhc/evaluate/scores.h"
#include "rhc/evaluate/validation.h"
#include "rhc/explore/campaign.h"
#include "rhc/explore/carry_out.h"
#include "rhc/model/fit_model.h"
#include "tests/model/random_exploration.h"

namespace {

constexpr std::array kDistances = {1, 5, 10, 20};
constexpr int kLogs = 5;

// So many trajectories of random actions that nobody has learned from.
std::vector<rhc::Trajectory> random_logs(const rhc::System& system, const rhc::Config& config) {
  const rhc::SystemSpec& spec = system.spec();
  std::vector<rhc::Trajectory> logs;
  for (std::uint64_t i = 0; logs.size() < kLogs; ++i) {
    const rhc::RandomStream randomness(config.seed, "calibration plant", i);
    rhc::RandomStream actions(config.seed, "calibration actions", i);
    rhc::SimulatedPlant plant(system, rhc::noise_levels(config, spec), randomness);
    const rhc::Trajectory log = rhc::carry_out(
        [&](const rhc::Vector&, int) { return actions.uniform_in(spec.action_bounds); }, plant,
        spec, 1, {});
    if (log.steps() >= kDistances.back()) logs.push_back(log);
  }
  return logs;
}

// Shares inside at these distances, of all observations together, after two and four episodes.
using Shares = std::array<std::array<double, kDistances.size()>, 2>;

Shares free_running_of(const rhc::System& system, const rhc::Config& config) {
  const rhc::SystemSpec& spec = system.spec();
  const std::vector<rhc::Trajectory> logs = random_logs(system, config);
  rhc::Campaign campaign(config, system, 1);
  Shares shares{};
  for (int episode = 1; episode <= 4; ++episode) {
    const rhc::Proposal proposal = campaign.propose(episode, {.announced = true});
    rhc::SimulatedPlant plant(
        system, rhc::noise_levels(config, spec),
        rhc::RandomStream(config.seed, "plant", static_cast<std::uint64_t>(episode)));
    const rhc::Trajectory seen = rhc::carry_out(
        [&](const rhc::Vector&, int t) -> rhc::Vector { return proposal.actions.col(t); }, plant,
        spec, episode, {});
    campaign.learn(proposal, seen);
    if (episode % 2 == 1) continue;
    const rhc::Validation found =
        rhc::validate(*campaign.model(), logs, {.steps = kDistances.back(), .every = 5});
    for (std::size_t d = 0; d < kDistances.size(); ++d)
      shares[static_cast<std::size_t>(episode) / 2 - 1][d] =
          found.coverage.col(kDistances[d] - 1).mean();
  }
  return shares;
}

void free_running(int seeds, const std::vector<std::string>& settings) {
  fmt::print(
      "\nshare of random trajectories inside free-running 95 % bands, median of {} seeds (first "
      "decile)\n{:<13} {:<6} {:>8}",
      seeds, "system", "", "episodes");
  for (const int steps : kDistances) fmt::print(" {:>8} ahead", steps);
  fmt::print("\n");
  for (const std::string& name : rhc::paper_system_names())
    for (const bool noisy : {false, true}) {
      const rhc::System system = rhc::make_system(name);
      std::vector<Shares> all(static_cast<std::size_t>(seeds));
      rhc::parallel_for(seeds, rhc::hardware_threads(), [&](int i) {
        rhc::Config config = rhc::preset("default", system.spec());
        for (const std::string& setting : settings) rhc::assign(config, setting);
        config.seed = static_cast<std::uint64_t>(i) + 1;
        if (noisy) config.noise.observation = rhc::bench::usual_noise(name);
        all[static_cast<std::size_t>(i)] = free_running_of(system, config);
      });
      for (std::size_t e = 0; e < 2; ++e) {
        fmt::print("{:<13} {:<6} {:>8}", name, noisy ? "noisy" : "clean", 2 * (e + 1));
        for (std::size_t d = 0; d < kDistances.size(); ++d) {
          std::vector<double> shares;
          for (const Shares& one : all) shares.push_back(one[e][d]);
          std::sort(shares.begin(), shares.end());
          const auto at = [&](double place) {
            return shares[static_cast<std::size_t>(place * (seeds - 1) + 0.5)];
          };
          fmt::print("  {:.3f} ({:.3f})", at(0.5), at(0.1));
        }
        fmt::print("\n");
        std::fflush(stdout);
      }
    }
}

void one_step(int seeds, const rhc::Config& given) {
  fmt::print(
      "coverage95 after 10 random episodes, {} seeds; noise in what an output changes in a step\n",
      seeds);
  fmt::print("{:<13} {:>6} {:>8} {:>8} {:>8} {:>10}\n", "system", "noise", "decile1", "median",
             "decile9", "in bar");
  for (const std::string& name : rhc::paper_system_names())
    for (const double share : {0.02, 0.05, 0.1, 0.2, 0.5}) {
      const rhc::System system = rhc::make_system(name);
      const rhc::NoiseLevels noise{share * rhc::draw_test_set(system, {}, 1000, 10, 1).output_scale,
                                   {}};
      const rhc::TestSet set = rhc::draw_test_set(system, noise, 2000, 10, 1);
      std::vector<double> coverage(static_cast<std::size_t>(seeds));
      rhc::parallel_for(seeds, rhc::hardware_threads(), [&](int i) {
        rhc::Config config = given;
        config.seed = static_cast<std::uint64_t>(i) + 1;
        const rhc::FourierFeatures draw =
            rhc::draw_features(rhc::features_for(config, system.spec()), system.spec().inputs(),
                               rhc::RandomStream(config.seed, "features"));
        const rhc::Transitions data = rhc::explore_at_random(system, noise, 10, config.seed);
        const auto fitted = rhc::fit_model(draw, data, rhc::evidence_settings(config, system, 1));
        coverage[static_cast<std::size_t>(i)] = rhc::score(fitted.model, set, 1).coverage95;
      });
      std::sort(coverage.begin(), coverage.end());
      const auto at = [&](double share_of_seeds) {
        return coverage[static_cast<std::size_t>(share_of_seeds * (seeds - 1) + 0.5)];
      };
      const auto inside = std::count_if(coverage.begin(), coverage.end(),
                                        [](double c) { return c >= 0.90 && c <= 0.99; });
      fmt::print("{:<13} {:>6} {:>8.3f} {:>8.3f} {:>8.3f} {:>6}/{}\n", name, share, at(0.1),
                 at(0.5), at(0.9), inside, seeds);
      std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  const std::vector<std::string> settings(argv + std::min(argc, 2), argv + argc);
  rhc::Config given;
  for (const std::string& setting : settings) rhc::assign(given, setting);
  one_step(seeds, given);
  free_running(seeds, settings);
}
