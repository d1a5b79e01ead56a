// Prints the test set of a system as CSV, for an implementation in another language:
// dump_test_set SYSTEM COUNT STEPS OBSERVATION_NOISE
#include <fmt/format.h>

#include <cstdlib>

#include "rhc/evaluate/test_set.h"
#include "rhc/system/registry.h"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const rhc::System system = rhc::make_system(argv[1]);
  const double deviation = std::atof(argv[4]);
  rhc::NoiseLevels noise;
  if (deviation > 0) noise.observation = rhc::Vector::Constant(system.spec().outputs(), deviation);
  const rhc::TestSet set =
      rhc::draw_test_set(system, noise, std::atoi(argv[2]), std::atoi(argv[3]), 1);
  for (rhc::Index i = 0; i < set.count(); ++i)
    for (std::size_t t = 0; t <= set.actions.size(); ++t) {
      fmt::print("{},{}", i, t);
      for (const double v : set.observations[t].col(i)) fmt::print(",{}", v);
      for (rhc::Index k = 0; k < set.actions[0].rows(); ++k)
        fmt::print(",{}", t < set.actions.size() ? set.actions[t](k, i) : 0.0);
      fmt::print("\n");
    }
}
