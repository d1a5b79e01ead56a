// The real-time controller on simulated machines.
//   control time   [SYSTEM ...] [seeds=3] [horizon=50] [steps=1000]   CPU time of its two halves
//   control push   [seeds=20]     a pole that is pushed: half the bound for 0.1 s every 2 s
//   control force  [seeds=3]      a constant force of a tenth of the bound
// Models learn from three episodes with the usual noise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/learned_model.h"
#include "bench/usual_noise.h"
#include "rhc/control/controller.h"
#include "rhc/core/error.h"
#include "rhc/core/stopwatch.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/settings.h"

namespace {

using namespace rhc;

double milliseconds() { return 1e3 * thread_cpu_seconds(); }

void print(const char* what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  fmt::print("  {:<10} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f}\n", what, at(0.5), at(0.99), at(0.999),
             at(1));
}

struct Times {
  std::vector<double> act, prepare, both;
};

// What was done: true observations, and the actions that were sent.
struct Run {
  Trajectory truth;
  Times times;
  int left = 0;
};

using Force = std::function<double(Index)>;  // added to the first action, at a step

Run carry_out(const System& system, const NoiseLevels& noise, Controller& controller, Index steps,
              std::uint64_t seed, const Force& force, const Vector& start, bool print_steps) {
  SimulatedPlant plant(system, noise, RandomStream(seed, "control"));
  Vector seen = plant.reset(start);
  controller.start(seen);
  Run run{{Matrix(system.spec().outputs(), steps + 1), Matrix(system.spec().action_bounds.size(), steps)}};
  for (Index t = 0; t < steps; ++t) {
    run.truth.observations.col(t) = system.observe(plant.state());
    const double begin = milliseconds();
    const Vector& action = controller.act(&seen);
    const double acted = milliseconds();
    run.truth.actions.col(t) = action;
    controller.prepare({});
    const double end = milliseconds();
    run.times.act.push_back(acted - begin);
    run.times.prepare.push_back(end - acted);
    run.times.both.push_back(end - begin);
    const ControlStep& s = controller.last();
    run.left += s.plan_left;
    if (print_steps) {
      fmt::print("{:>4} ", t);
      for (const double v : run.truth.observations.col(t)) fmt::print("{:>7.3f} ", v);
      fmt::print("| {:>6.3f} {} it {} cost {:.3g} reg {} tail.. d", s.action[0], name(s.source), s.iterations,
                 s.plan_cost, s.has_regulator);
      for (const double v : s.disturbance) fmt::print(" {:.4f}", v);
      fmt::print(" on a {:.3f}", s.action_disturbance[0]); fmt::print(" surprise {:.1f}\n", s.surprise);
    }
    Vector sent = run.truth.actions.col(t);
    sent[0] += force(t);
    seen = plant.step(sent);
  }
  run.truth.observations.col(steps) = system.observe(plant.state());
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 3, first = 101, horizon = 50, steps = 1000, verbose = 1, learn = 1, offset = 1, tail = 2, starts = 8, wander = 100;
  auto [words, settings] = bench::read_arguments(
      argc, argv, {{"seeds", &seeds}, {"first", &first}, {"horizon", &horizon}, {"steps", &steps}, {"verbose", &verbose}, {"learn", &learn}, {"offset", &offset}, {"tail", &tail}, {"starts", &starts}, {"wander", &wander}});
  if (words.empty()) words = {"time"};
  const std::string what = words[0];
  words.erase(words.begin());
  if (words.empty()) words = {"cartpole"};
  try {
    for (const std::string& name : words) {
      const System system = bundled_system(name);
      const SystemSpec& spec = system.spec();
      Config config = preset("default", spec);
      config.episodes = 3;
      config.noise.observation = bench::usual_noise(name);
      for (const std::string& setting : settings) assign(config, setting);
      Times all;
      fmt::print("{} time step {} horizon {}\n", name, spec.time_step, horizon);
      for (int i = 0; i < seeds; ++i) {
        config.seed = static_cast<std::uint64_t>(first + i);
        const DynamicsModel model = bench::learned_model(config, system);
        Controller controller(model, spec, {.horizon = horizon, .learn = learn == 1, .remove_offset = offset == 1, .disturbance_steps = static_cast<double>(wander), .tail = static_cast<TailCost>(tail - 1), .starts = starts});
        Force force = [](Index) { return 0.0; };
        if (what == "push") {
          const auto every = static_cast<Index>(std::lround(2 / spec.time_step));
          const auto lasts = std::max<Index>(1, std::lround(0.1 / spec.time_step));
          force = [=](Index t) { return t >= every && t % every < lasts ? (t / every % 2 ? 0.5 : -0.5) : 0.0; };
        } else if (what == "force") {
          force = [](Index) { return 0.1; };
        }
        const Run run = carry_out(system, noise_levels(config, spec), controller, steps, config.seed, force, spec.start, verbose > 1);
        for (auto [to, from] : {std::pair{&all.act, &run.times.act}, {&all.prepare, &run.times.prepare}, {&all.both, &run.times.both}})
          to->insert(to->end(), from->begin() + 1, from->end());
        double least = 1e9, mean = 0;
        const Index settle = steps / 2;
        for (Index t = settle; t <= steps; ++t) {
          least = std::min(least, run.truth.observations(1 % spec.outputs(), t));
          mean += run.truth.observations(0, t) / static_cast<double>(steps - settle + 1);
        }
        double cost = spec.task.total(run.truth);
        fmt::print("  seed {}: features {} cost {:.4g}, second half: least obs 1 {:.3f}, mean obs 0 {:.4f}, left {} of {}; d", config.seed, model.regression.features(), cost, least, mean, run.left, steps);
        for (const double v : controller.last().disturbance) fmt::print(" {:.4f}", v);
        fmt::print(" on actions {:.4f}\n", controller.last().action_disturbance[0]);
      }
      fmt::print("{} ms {:>18} {:>9} {:>9} {:>9}\n", name, "p50", "p99", "p99.9", "most");
      print("act", all.act);
      print("prepare", all.prepare);
      print("both", all.both);
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "control: {}\n", error.what());
    return 2;
  }
}
