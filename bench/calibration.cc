// How well a model knows what it does not know: coverage of its 95 % intervals after ten random
// episodes, over seeds, systems and levels of observation noise.  calibration [SEEDS [key=value
// ...]]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "rhc/core/parallel.h"
#include "rhc/describe/settings.h"
#include "rhc/evaluate/scores.h"
#include "rhc/explore/config.h"
#include "rhc/model/fit_model.h"
#include "tests/model/random_exploration.h"

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 20;
  rhc::Config given;
  for (int i = 2; i < argc; ++i) rhc::assign(given, argv[i]);
  fmt::print(
      "coverage95 after 10 random episodes, {} seeds; noise in what an output changes in a step\n",
      seeds);
  fmt::print("{:<13} {:>6} {:>8} {:>8} {:>8} {:>10}\n", "system", "noise", "decile1", "median",
             "decile9", "in bar");
  for (const std::string& name : rhc::system_names())
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
