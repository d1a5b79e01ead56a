// Soft actor-critic on Gymnasium's Pendulum-v1: steps a second and what was learned.
//   sac [STEPS [FIRST_SEED LAST_SEED [DEVICE]]]    one JSON line a seed
#include <fmt/format.h>

#include <cstdlib>

#include "rhc/core/stopwatch.h"
#include "tests/learn_gym_pendulum.h"

int main(int argc, char** argv) {
  using namespace rhc;
  const int steps = argc > 1 ? std::atoi(argv[1]) : 20000;
  const int first = argc > 2 ? std::atoi(argv[2]) : 1, last = argc > 3 ? std::atoi(argv[3]) : first;
  const at::Device device = device_named(argc > 4 ? argv[4] : "cpu");
  for (int s = first; s <= last; ++s) {
    const auto seed = static_cast<std::uint64_t>(s);
    Sac sac(3, 1, {}, device, RandomStream(seed, "sac"));
    const Stopwatch watch;
    learn_gym_pendulum(sac, device, seed, steps);
    const double seconds = watch.seconds();
    RandomStream starts(seed, "evaluation");
    double sum = 0;
    for (int i = 0; i < 10; ++i) sum += gym_pendulum_return(sac, starts) / 10;
    fmt::print("{{\"seed\": {}, \"return\": {:.1f}, \"steps_per_second\": {:.1f}}}\n", s, sum,
               steps / seconds);
    std::fflush(stdout);
  }
}
