// How often does the loop of `rhc control` miss its deadline, on the clock on the wall?
//   deadlines [SYSTEM] [alone] [fixed] [usual] [steps=2000] [rate=50] [horizon=50] [busy=1]
// The system (default: cartpole; two-carts has four states, and steps as long as the rate wants) is
// simulated in real time; the model is of three episodes with the
// usual noise, and goes on learning unless it is `fixed`. `busy` threads compute beside it all the
// time, unless it is `alone`. `usual`: without asking for a real-time priority.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <optional>
#include <thread>

#include "bench/arguments.h"
#include "bench/learned_model.h"
#include "bench/two_carts.h"
#include "bench/usual_noise.h"
#include "rhc/core/error.h"
#include "rhc/core/real_time_priority.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/settings.h"
#include "rhc/plant/live_simulation.h"
#include "rhc/run/control_run.h"

namespace {

using namespace rhc;

// Goes on where the machine would have been stopped by its limits: what is measured is time.
struct WithoutEnd {
  System system;
  SystemSpec spec() const {
    SystemSpec spec = system.spec();
    spec.limits = Box::unbounded(spec.outputs());
    return spec;
  }
  Vector step(const Vector& state, const Vector& action) const {
    return system.step(state, action);
  }
  Vector observe(const Vector& state) const { return system.observe(state); }
};

class BusyThreads {
 public:
  explicit BusyThreads(int count) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this, value = 1.0]() mutable {
        while (!over_) value = std::sin(value) + 1;
        sum_ = sum_ + value;
      });
  }
  ~BusyThreads() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

 private:
  std::atomic<bool> over_ = false;
  std::atomic<double> sum_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

int main(int argc, char** argv) {
  int steps = 2000, rate = 50, horizon = 50, busy = 1;
  auto [words, settings] = bench::read_arguments(
      argc, argv, {{"steps", &steps}, {"rate", &rate}, {"horizon", &horizon}, {"busy", &busy}});
  std::string name = "cartpole";
  bool learn = true, usual = false;
  for (const std::string& word : words)
    if (word == "alone")
      busy = 0;
    else if (word == "fixed")
      learn = false;
    else if (word == "usual")
      usual = true;
    else
      name = word;
  try {
    const System system =
        name == "two-carts" ? System(bench::TwoCarts{1.0 / rate}) : bundled_system(name);
    const SystemSpec& spec = system.spec();
    Config config = preset("default", spec);
    config.episodes = 3;
    config.noise.observation = bench::usual_noise(spec.name);
    for (const std::string& setting : settings) assign(config, setting);
    const DynamicsModel model = bench::learned_model(config, system);
    Controller controller(model, spec, {.horizon = horizon, .learn = learn});
    controller.start(system.observe(spec.start));

    const BusyThreads others(busy);
    const LiveClock clock = machine_clock();
    const double period = 1.0 / rate;
    LiveSimulation plant(WithoutEnd{system}, noise_levels(config, spec),
                         RandomStream(config.seed, "deadlines"), clock, live_seconds(period));
    std::optional<RealTimePriority> priority;
    if (!usual) priority.emplace();
    const ControlSummary summary =
        control(controller, plant, clock, spec.start, {.period = period, .seconds = steps * period},
                nullptr, [] { return false; });
    fmt::print("{}, horizon {}, learning {}, {} busy threads beside it, real-time priority: {}\n{}",
               spec.name, horizon, learn ? "on" : "off", busy,
               priority && priority->granted() ? "yes" : "no", in_words(summary));
    fmt::print(
        "An action left after {:.3g} ms in the median, {:.3g} in 999 of 1,000, {:.3g} at "
        "most (wall)\n",
        1e3 * summary.sent.quantile(0.5), 1e3 * summary.sent.quantile(0.999),
        1e3 * summary.sent.longest());
  } catch (const InputError& error) {
    fmt::print(stderr, "deadlines: {}\n", error.what());
    return 2;
  }
}
