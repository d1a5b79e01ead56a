// The real-time controller on simulated machines, by models that were learned of them.
//   control time [SYSTEM ...]   CPU time of its halves; without a system: cart-pole, and four
//   states control push                a pole that is pushed, by half the bound for 0.1 s every 2 s
//   control force               a constant force of a tenth of the bound
//   control machines            the machines of machines.h beside a tuned PI controller
// and seeds=, first=, horizon=, steps=, learn= (1 or 2: no), offset=, tail= (1 never, 2 near, 3
// always), budget= (of a period, in tenths of milliseconds), key=value as for `rhc explore`.
// Poles are learned from three episodes with the usual noise, machines from four.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/arguments.h"
#include "bench/closed_loop.h"
#include "bench/two_carts.h"
#include "rhc/control/controller.h"
#include "rhc/core/error.h"
#include "rhc/core/stopwatch.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/system/cartpole.h"

namespace {

using namespace rhc;
using namespace rhc::bench;

struct Options {
  int seeds = 3, first = 101, horizon = 50, steps = 1000, learn = 1, offset = 1, tail = 2;
  int budget = 20, wander = 100, verbose = 0;
  std::vector<std::string> settings{};

  ControlSettings control(Index plan_steps) const {
    return {.horizon = plan_steps,
            .learn = learn == 1,
            .remove_offset = offset == 1,
            .disturbance_steps = static_cast<double>(wander),
            .tail = static_cast<TailCost>(tail - 1)};
  }
};

// What is sent may be disturbed on its way, beyond the bounds of what may be sent.
struct DisturbedCartpole : Cartpole {
  SystemSpec spec() const {
    SystemSpec wide = Cartpole::spec();
    wide.action_bounds.lower *= 3;
    wide.action_bounds.upper *= 3;
    return wide;
  }
};

struct Times {
  std::vector<double> act, prepare, both;

  static void print(const char* what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
      return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    };
    fmt::print("  {:<10} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f}\n", what, at(0.5), at(0.99), at(0.999),
               at(1));
  }
  void print(const std::string& name) const {
    fmt::print("{}, {} periods, ms of CPU {:>8} {:>9} {:>9} {:>9}\n", name, both.size(), "p50",
               "p99", "p99.9", "most");
    print("act", act);
    print("prepare", prepare);
    print("both", both);
  }
};

int verbose = 0;  // every so many periods are printed

void print_step(const ControlStep& s) {
  const auto numbers = [](const Vector& values) {
    std::string text;
    for (const double value : values) text += fmt::format(" {:.4g}", value);
    return text;
  };
  fmt::print(
      "{:>5} estimate{} action{} by {} ({}), {}, cost {:.4g} after {} iterations{}, "
      "disturbed by{} and{}, surprise {:.1f}\n",
      s.step, numbers(s.estimate), numbers(s.action), name(s.source), name(s.fall),
      s.has_regulator ? "regulated" : "not regulated", s.plan_cost, s.iterations,
      s.comes_to_rest ? ", comes to rest" : "", numbers(s.action_disturbance),
      numbers(s.disturbance), s.surprise);
}

// The controller as a law, which starts at the first measurement.
Law law_of(Controller& controller, Times* times, double budget = 0) {
  return [&controller, times, budget, clock = Clock(&thread_cpu_seconds),
          started = false](const Vector& seen) mutable -> Vector {
    if (!started) controller.start(seen);
    started = true;
    const double begin = 1e3 * thread_cpu_seconds();
    const Vector action = controller.act(&seen);
    const double acted = 1e3 * thread_cpu_seconds();
    controller.prepare(budget > 0 ? Deadline::in(clock, budget) : Deadline{});
    const double end = 1e3 * thread_cpu_seconds();
    if (verbose > 0 && controller.last().step % verbose == 0) print_step(controller.last());
    if (times && controller.last().step > 0) {
      times->act.push_back(acted - begin);
      times->prepare.push_back(end - acted);
      times->both.push_back(end - begin);
    }
    return action;
  };
}

void time_steps(const System& system, const Options& options, Index horizon) {
  Times times;
  for (int i = 0; i < options.seeds; ++i) {
    const int seed = options.first + i;
    Controller controller(learned_system(system, options.settings, seed), system.spec(),
                          options.control(horizon));
    const Measure measure = with_noise(noise_of(system), {}, RandomStream(seed, "control"));
    const Trajectory done =
        run(system, measure, law_of(controller, &times), options.steps, kNoLoad);
    fmt::print("  seed {}: cost {:.5g}\n", seed, system.spec().task.total(done));
  }
  times.print(fmt::format("{}, horizon {}, learning {}", system.spec().name, horizon,
                          options.learn == 1 ? "on" : "off"));
}

// Over the last ten seconds: whether it is up, and by how much it is off.
void poles(const Options& options, bool push) {
  const System learned_of = Cartpole{}, disturbed = DisturbedCartpole{};
  const SystemSpec& spec = learned_of.spec();
  const auto steps = static_cast<Index>(std::lround(60 / spec.time_step));
  const auto every = static_cast<Index>(std::lround(2 / spec.time_step));
  const auto lasts = static_cast<Index>(std::lround(0.1 / spec.time_step));
  const auto tail = static_cast<Index>(std::lround(10 / spec.time_step));
  const Load load = [=](Index t) {
    if (!push) return 0.1;
    return t >= every && t % every < lasts ? (t / every % 2 == 0 ? 0.5 : -0.5) : 0.0;
  };
  Times times;
  int up = 0;
  std::vector<double> off;
  for (int i = 0; i < options.seeds; ++i) {
    const int seed = options.first + i;
    Controller controller(learned_system(learned_of, options.settings, seed), spec,
                          options.control(options.horizon));
    const Measure measure = with_noise(noise_of(learned_of), {}, RandomStream(seed, "control"));
    const Trajectory done = run(disturbed, measure, law_of(controller, &times), steps, load);
    // From the first time that it stands for a second.
    const auto upright = done.observations.row(1);
    Index stands = steps;
    for (Index t = 0, since = 0; t <= steps && stands == steps; ++t) {
      since = upright[t] > 0.9 ? since + 1 : 0;
      if (static_cast<double>(since) * spec.time_step >= 1) stands = t;
    }
    const double least = stands < steps ? upright.tail(steps + 1 - stands).minCoeff() : -1;
    const double error = done.observations.row(0).tail(tail).mean();
    const double spread =
        std::sqrt((done.observations.row(0).tail(tail).array() - error).square().mean());
    up += least > 0.5;
    off.push_back(std::abs(error));
    fmt::print(
        "  seed {}: stands after {:.1f} s, least cosine then {:.3f}; last 10 s: mean "
        "position {:+.4f} m, deviation {:.4f} m\n",
        seed, static_cast<double>(stands) * spec.time_step, least, error, spread);
  }
  fmt::print("{}: up to the end {} of {}; |mean position| {:.4f} m on average, {:.4f} m at most\n",
             push ? "pushed" : "constant force", up, options.seeds, mean(off),
             *std::max_element(off.begin(), off.end()));
  times.print("cartpole");
}

// Of the first observation that costs something, with the integral held at the actions' bounds.
struct Pi {
  double proportional, integral, derivative;

  Law law(const SystemSpec& spec) const {
    Index at = 0;
    while (spec.task.weight[at] == 0) ++at;
    const Vector rest = action_at_rest(spec);
    return [*this, spec, at, rest, sum = 0.0, last = 0.0,
            first = true](const Vector& seen) mutable -> Vector {
      const double error = spec.task.target[at] - seen[at];
      const double slope = first ? 0 : seen[at] - last;
      last = seen[at];
      first = false;
      const double lower = spec.action_bounds.lower[0], upper = spec.action_bounds.upper[0];
      const double wanted =
          rest[0] + proportional * error + sum + integral * error - derivative * slope;
      if ((wanted < upper || error * integral < 0) && (wanted > lower || error * integral > 0))
        sum += integral * error;
      return Vector::Constant(1, std::clamp(wanted, lower, upper));
    };
  }
};

void machine(const bench::Machine& one, const Options& options) {
  const System& system = one.system;
  const SystemSpec& spec = system.spec();
  const Index H = spec.horizon;
  const auto measure_by = [&](int seed, const char* what) {
    return with_noise(one.noise, one.quantum, RandomStream(static_cast<std::uint64_t>(seed), what));
  };
  const auto cost_of = [&](const Trajectory& done) {
    return spec.task.total({done.observations.leftCols(H + 1), done.actions.leftCols(H)});
  };

  // The best of many on the true machine, which no controller of ours may look at: coarse, then
  // around the best.
  RandomStream search(1, "PI");
  Index at = 0;
  while (spec.task.weight[at] == 0) ++at;
  const double unit =
      spec.action_bounds.width()[0] / 2 /
      std::max(1.0, std::abs(spec.task.target[at] - system.observe(spec.start)[at]));
  Pi best{unit, 0, 0};
  double least = kInfinity;
  for (int i = 0; i < 3000; ++i) {
    const auto vary = [&](double around, double from, double to) {
      return i < 1500 ? unit * std::exp(search.uniform(std::log(from), std::log(to)))
                      : around * std::exp(0.2 * search.normal());
    };
    const Pi tried{vary(best.proportional, 0.03, 300), vary(best.integral, 1e-4, 30),
                   vary(best.derivative, 1e-3, 1000)};
    double cost = 0;
    for (int seed = 1; seed <= 2; ++seed)
      cost += cost_of(run(system, measure_by(seed, "tuning"), tried.law(spec), H, kNoLoad));
    if (!(cost < least)) continue;
    least = cost;
    best = tried;
  }

  // A tenth of the range against it, from the end of the task on.
  const double against = -0.1 * spec.action_bounds.width()[0] / 2;
  const Load load = [=](Index t) { return t < H ? 0.0 : against; };
  std::vector<double> ours, pi, ours_off, pi_off;
  for (int i = 0; i < options.seeds; ++i) {
    const int seed = options.first + i;
    const DynamicsModel model = bench::learned_machine(one, options.settings, seed);
    Controller controller(model, spec, options.control(0));
    const Trajectory by_us =
        run(system, measure_by(seed, "control"), law_of(controller, nullptr), 4 * H, load);
    const Trajectory by_pi = run(system, measure_by(seed, "control"), best.law(spec), 4 * H, load);
    const auto error = [&](const Trajectory& done) {
      return done.observations.row(at).tail(H / 2).mean() - spec.task.target[at];
    };
    ours.push_back(cost_of(by_us));
    pi.push_back(cost_of(by_pi));
    ours_off.push_back(std::abs(error(by_us)));
    pi_off.push_back(std::abs(error(by_pi)));
    fmt::print("  {} seed {}: cost {:.5g}, PI {:.5g}; after the load off by {:+.4f}, PI {:+.4f}\n",
               spec.name, seed, ours.back(), pi.back(), error(by_us), error(by_pi));
  }
  fmt::print(
      "{}: cost over that of the PI controller ({:.3g}, {:.3g}, {:.3g}) {:.3f}; after the "
      "load off by {:.4f}, PI {:.4f}, of a sensor's noise {:.2f}\n",
      spec.name, best.proportional, best.integral, best.derivative, mean(ours) / mean(pi),
      mean(ours_off), mean(pi_off), one.noise[at]);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  auto [words, settings] = bench::read_arguments(argc, argv,
                                                 {{"seeds", &options.seeds},
                                                  {"first", &options.first},
                                                  {"horizon", &options.horizon},
                                                  {"steps", &options.steps},
                                                  {"learn", &options.learn},
                                                  {"offset", &options.offset},
                                                  {"tail", &options.tail},
                                                  {"budget", &options.budget},
                                                  {"wander", &options.wander},

                                                  {"verbose", &options.verbose}});
  verbose = options.verbose;
  options.settings = settings;
  const std::string what = words.empty() ? "time" : words[0];
  if (!words.empty()) words.erase(words.begin());
  try {
    if (what == "push" || what == "force") {
      poles(options, what == "push");
    } else if (what == "machines") {
      for (const bench::Machine& one : bench::machines()) {
        const std::string& name = one.system.spec().name;
        if (words.empty() ? name == "motor" || name == "tanks" || name == "stage"
                          : std::find(words.begin(), words.end(), name) != words.end())
          machine(one, options);
      }
    } else if (words.empty()) {
      time_steps(Cartpole{}, options, options.horizon);
      time_steps(TwoCarts{}, options, 20);
    } else {
      for (const std::string& name : words)
        time_steps(bundled_system(name), options, options.horizon);
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "control: {}\n", error.what());
    return 2;
  }
}
