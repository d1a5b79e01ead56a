// The real-time controller beside others that have the same model, filter, start and noise, and the
// same CPU time in a period: a sampling planner (MPPI), CasADi with IPOPT, warm-started, and
// real-time iterations with HPIPM. CasADi runs in .venv-bench (bench/peers/receding.py).
//   control_peers [SYSTEM ...]  from the repository; bundled systems, and those of machines.h
// and seeds=, first=, horizon=, steps=, budget= (of a period, in tenths of milliseconds), generous=
// (times as much for a second IPOPT), key=value as for `rhc explore`. No peer knows limits of the
// observations, which ours keeps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/arguments.h"
#include "bench/closed_loop.h"
#include "bench/mppi.h"
#include "rhc/control/controller.h"
#include "rhc/core/error.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/plant/child_program.h"

namespace {

using namespace rhc;
using namespace rhc::bench;
using nlohmann::json;

constexpr double kCompiles = 600;  // seconds, at most

struct Options {
  int seeds = 2, first = 101, horizon = 50, steps = 200, budget = 20, generous = 20;
  std::vector<std::string> settings{};
  double seconds() const { return 1e-4 * budget; }
};

json rows_of(const Matrix& matrix) {
  json rows = json::array();
  for (const auto& row : matrix.rowwise()) rows.push_back(std::vector(row.begin(), row.end()));
  return rows;
}

// A solver of CasADi, in a program beside this one, behind our filter.
class CasadiPeer {
 public:
  CasadiPeer(const DynamicsModel& model, const SystemSpec& spec, const std::string& solver,
             Index horizon, double seconds, int seed)
      : motion_(model, spec, horizon, false),
        observer_(motion_, 0.5 * spec.action_bounds.width(), {}),
        rest_(action_at_rest(spec)),
        program_(".venv-bench/bin/python bench/peers/receding.py",
                 [this](std::string_view text) { errors_ += text; }) {
    const PlanningModel& planned = motion_.planned;
    if (planned.known || !planned.hidden.empty() || motion_.layout.changes)
      throw InputError("'" + spec.name + "' is more than the peers' program knows");
    json angles = json::array();
    for (const AnglePair& angle : planned.angles) angles.push_back({angle.cosine, angle.sine});
    const auto list = [](const Vector& values) {
      return std::vector(values.begin(), values.end());
    };
    ask({{"solver", solver},
         {"horizon", horizon},
         {"seconds", seconds},
         {"seed", seed},
         {"Q", rows_of(planned.Q)},
         {"phase", list(planned.phase)},
         {"W", rows_of(planned.W)},
         {"offset", list(planned.offset)},
         {"carry", planned.carry.size() > 0 ? rows_of(planned.carry) : json()},
         {"affine", planned.affine},
         {"angles", angles},
         {"outputs", planned.outputs},
         {"target", list(spec.task.target)},
         {"weight", list(spec.task.weight)},
         {"final_weight", list(spec.task.weight_at_end())},
         {"action_weight", list(spec.task.action_weight)},
         {"lower", list(spec.action_bounds.lower)},
         {"upper", list(spec.action_bounds.upper)}});
  }

  Vector act(const Vector& seen) {
    const bool first = action_.size() == 0;
    if (first) {
      observer_.start(motion_.layout.first_state(standing_at(seen, rest_.size()), rest_));
    } else {
      observer_.predict(action_, false);
      observer_.measure(&seen);
    }
    const Vector state = observer_.state();
    const json answer = ask(std::vector(state.begin(), state.end()));
    const auto numbers = answer.at("action").get<std::vector<double>>();
    action_ = Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
    if (!first) used.push_back(answer.at("seconds"));
    return action_;
  }

  std::vector<double> used;  // seconds of CPU in each period but the first

 private:
  json ask(const json& what) {
    const Answer answer = program_.ask(what.dump(), kCompiles, [] {});
    if (answer.kind != Answer::line)
      throw InputError(
          "bench/peers/receding.py did not answer (`make bench` sets its environment "
          "up, and this program runs in the repository): " +
          errors_);
    return json::parse(answer.text);
  }

  LearnedMotion motion_;
  Observer observer_;
  const Vector rest_;
  Vector action_;
  std::string errors_;
  ChildProgram program_;
};

struct Result {
  double cost = 0, milliseconds = 0;  // of the task; in a period, on average
};

// The planner's milliseconds; the filter is the same for all.
Result result_of(const System& system, const Measure& measure, const Law& law, Index steps,
                 const std::vector<double>& used) {
  const Trajectory done = run(system, measure, law, steps, kNoLoad);
  return {system.spec().task.total(done), 1e3 * mean(used)};
}

struct Peer {
  std::string name;
  std::vector<Result> results{};
};

struct Problem {
  System system;
  Vector noise, quantum;
  std::function<DynamicsModel(int seed)> learned;
};

std::vector<Problem> problems(const std::vector<std::string>& names, const Options& options) {
  std::vector<Problem> found;
  for (const std::string& name : names) {
    const std::vector<Machine> all = machines();
    const auto machine = std::find_if(
        all.begin(), all.end(), [&](const Machine& one) { return one.system.spec().name == name; });
    if (machine != all.end()) {
      found.push_back(
          {machine->system, machine->noise, machine->quantum, [one = *machine, options](int seed) {
             return learned_machine(one, options.settings, seed);
           }});
      continue;
    }
    const System system = bundled_system(name);
    found.push_back({system, noise_of(system), {}, [system, options](int seed) {
                       return learned_system(system, options.settings, seed);
                     }});
  }
  return found;
}

std::vector<Result> compare(const Problem& problem, const Options& options, int seed) {
  const System& system = problem.system;
  const SystemSpec& spec = system.spec();
  const DynamicsModel model = problem.learned(seed);
  const double seconds = options.seconds();
  const Measure measure = with_noise(problem.noise, problem.quantum,
                                     RandomStream(static_cast<std::uint64_t>(seed), "control"));
  std::vector<Result> results;
  std::vector<double> used;
  {
    Controller controller(model, spec, {.horizon = options.horizon});
    const Clock clock(&thread_cpu_seconds);
    const Law ours = [&](const Vector& seen) -> Vector {
      if (controller.last().step < 0) controller.start(seen);
      const double begin = thread_cpu_seconds();
      const Vector action = controller.act(&seen);
      controller.prepare(Deadline::in(clock, seconds));
      used.push_back(thread_cpu_seconds() - begin);
      return action;
    };
    results.push_back(result_of(system, measure, ours, options.steps, used));
  }
  {
    Mppi mppi(model, spec, options.horizon, seconds, static_cast<std::uint64_t>(seed));
    used.clear();
    const Law theirs = [&, first = true](const Vector& seen) mutable {
      const double begin = thread_cpu_seconds();
      const Vector action = mppi.act(seen);
      if (!std::exchange(first, false)) used.push_back(thread_cpu_seconds() - begin);
      return action;
    };
    results.push_back(result_of(system, measure, theirs, options.steps, used));
  }
  for (const auto& [solver, times] :
       {std::pair("rti", 1), {"ipopt", 1}, {"ipopt", options.generous}}) {
    CasadiPeer peer(model, spec, solver, options.horizon, times * seconds, seed);
    const Law theirs = [&](const Vector& seen) { return peer.act(seen); };
    results.push_back(result_of(system, measure, theirs, options.steps, peer.used));
  }
  return results;
}

double geometric_mean(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return std::exp(mean(values));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  auto [names, settings] = read_arguments(argc, argv,
                                          {{"seeds", &options.seeds},
                                           {"first", &options.first},
                                           {"horizon", &options.horizon},
                                           {"steps", &options.steps},
                                           {"budget", &options.budget},
                                           {"generous", &options.generous}});
  options.settings = settings;
  if (names.empty())
    names = {"cartpole", "pendulum", "mountain-car", "motor", "tanks", "stage", "heater", "belt"};
  try {
    const std::vector<std::string> who = {"rhc", "MPPI", "HPIPM", "IPOPT",
                                          fmt::format("IPOPT x{}", options.generous)};
    fmt::print("horizon {}, {} periods of {:.1f} ms of CPU: cost (ms used)\n{:<14} {:>5}",
               options.horizon, options.steps, 1e3 * options.seconds(), "", "seed");
    for (const std::string& name : who) fmt::print(" {:>21}", name);
    fmt::print(" {:>11}\n", "rhc / best");
    std::vector<std::vector<double>> ratios(who.size());
    double worst = 0;
    for (const Problem& problem : problems(names, options)) {
      std::vector<double> sums(who.size());
      for (int seed = options.first; seed < options.first + options.seeds; ++seed) {
        const std::vector<Result> results = compare(problem, options, seed);
        fmt::print("{:<14} {:>5}", problem.system.spec().name, seed);
        // The generous one is told, and is no rival.
        double best = kInfinity;
        for (std::size_t i = 0; i < who.size(); ++i) {
          fmt::print(" {:>12.5g} ({:>6.2f})", results[i].cost, results[i].milliseconds);
          ratios[i].push_back(results[0].cost / results[i].cost);
          sums[i] += results[i].cost;
          if (i > 0 && i + 1 < who.size()) best = std::min(best, results[i].cost);
        }
        fmt::print(" {:>11.3f}\n", results[0].cost / best);
        std::fflush(stdout);
      }
      worst = std::max(worst, sums[0] / *std::min_element(sums.begin() + 1, sums.end() - 1));
    }
    fmt::print("rhc's cost over that of the others, geometric mean:");
    for (std::size_t i = 1; i < who.size(); ++i)
      fmt::print(" {} {:.3f}{}", who[i], geometric_mean(ratios[i]), i + 1 < who.size() ? "," : "");
    fmt::print(
        "\nrhc's cost over that of the best with the same time, on a system, at most: {:.3f}\n",
        worst);
  } catch (const InputError& error) {
    fmt::print(stderr, "control_peers: {}\n", error.what());
    return 2;
  }
}
