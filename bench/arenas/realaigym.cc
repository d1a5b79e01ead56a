// RealAIGym's double pendulum, simulated: from hanging to standing, scored as on its leaderboard.
//   realaigym scan  ROBOT            weights with which plans for the true dynamics score best
//   realaigym limit [ROBOT ...]      the best score of plans with the weights of swing_up_task.h
//   realaigym arena [ROBOT ...]      from knowing nothing: interaction, success, score, criteria
//   realaigym robust [ROBOT ...]     what was learned, on machines that are disturbed
//   realaigym score  FILE ...        of trials in the CSV files of its simulator
// and seeds=, first=, out= (a folder for a CSV file of each trial), fields of SwingUpSettings and
// key=value as for `rhc explore`. ROBOT: acrobot, pendubot.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/arenas/swing_up_learner.h"
#include "rhc/core/error.h"
#include "rhc/core/stopwatch.h"
#include "rhc/evaluate/task_cost.h"
#include "rhc/plan/planner.h"
#include "rhc/plan/true_dynamics.h"
#include "rhc/study/aggregate.h"

namespace {

using namespace rhc;
using namespace rhc::bench;

struct Options {
  int seeds = 3, first = 1, tries = 40, trials = 10;
  std::string out{};
  SwingUpSettings learning{};
};

void print_score(const std::string& what, const SwingUpScore& s) {
  fmt::print("{:<26} {:>4} {:>6.3f} {:>7.2f} {:>7.2f} {:>7.2f} {:>8.4f} {:>8.1f}\n", what,
             s.success ? "yes" : "no", s.score, s.time, s.energy, s.torque, s.smoothness,
             s.velocity);
  std::fflush(stdout);
}

void print_header(const std::string& what) {
  fmt::print("{:<26} {:>4} {:>6} {:>7} {:>7} {:>7} {:>8} {:>8}\n", what, "up", "score", "time s",
             "J", "torque", "smooth", "velocity");
}

Plan plan_truly(const System& system, const PlannerSettings& settings,
                const std::vector<Matrix>& suggestions = {}) {
  const SystemSpec& spec = system.spec();
  const PlanProblem problem{.dynamics = [&] { return std::make_unique<TrueDynamics>(system); },
                            .objective = [&] { return std::make_unique<TrueTask>(system); },
                            .first_state = spec.start,
                            .action_bounds = spec.action_bounds,
                            .state_bounds = Box::unbounded(spec.start.size()),
                            .horizon = spec.horizon};
  return plan(problem, settings, suggestions);
}

// The plan, then standing still without torque. Nothing where it does not end near there.
SwingUpScore score_of_plan(const DoublePendulum& machine, const Matrix& actions) {
  const auto T = static_cast<int>(actions.cols());
  SwingUpRecord record = swing_up(
      machine, [&](const Vector&, int t) { return actions(0, t); }, T);
  Eigen::Vector4d standing = record.motion.back();
  constexpr double kNear = 0.1;
  if (!(std::hypot(standing[2], standing[3]) < kNear)) return {};
  standing[2] = standing[3] = 0;
  for (int i = static_cast<int>(record.time.size()); i <= 5000; ++i) {
    record.time.push_back(i * machine.substep);
    record.motion.push_back(standing);
    record.torques.emplace_back(0, 0);
  }
  return realaigym_score(record, machine);
}

// Random weights until one is good, then better ones around the best.
void scan(Motor motor, const Options& options) {
  constexpr double kGood = 0.62;
  RandomStream randomness(static_cast<std::uint64_t>(options.first), "scan");
  const DoublePendulum machine{.motor = motor};
  SwingUpTask best;
  SwingUpScore top;
  Matrix kept;
  for (int i = 0; i < options.tries; ++i) {
    SwingUpTask task = best;
    const bool near = top.score >= kGood;
    const auto vary = [&](double& weight, double from, double to) {
      weight = near ? weight * std::exp(0.5 * randomness.normal())
                    : std::exp(randomness.uniform(std::log(from), std::log(to)));
    };
    vary(task.angles, 1e-4, 0.1);
    vary(task.speed1, 1e-4, 1e-2);
    vary(task.speed2, 1e-4, 1e-2);
    vary(task.torque, 1e-3, 0.1);
    vary(task.change, 0.01, 1);
    task.horizon =
        near ? std::clamp(task.horizon + static_cast<int>(randomness.below(21)) - 10, 50, 130)
             : 60 + static_cast<int>(randomness.below(50));
    std::vector<Matrix> suggestions;
    if (near && i % 2 == 1) {
      suggestions.push_back(Matrix::Zero(1, task.horizon));
      const Index shared = std::min<Index>(kept.cols(), task.horizon);
      suggestions[0].leftCols(shared) = kept.leftCols(shared);
    }
    const System system = DescribedDoublePendulum{machine, with_task(machine.spec(), task)};
    const Plan found = plan_truly(system,
                                  {.starts = suggestions.empty() ? 24 : 2,
                                   .shooting = {.tolerance = 1e-6},
                                   .seed = randomness.bits()},
                                  suggestions);
    const SwingUpScore score = score_of_plan(machine, found.actions);
    if (!(score.score > top.score + 1e-4)) continue;
    top = score;
    best = task;
    kept = found.actions;
    print_score(fmt::format("{}", i), score);
    fmt::print(
        "  horizon {} angles {:.3g} speed1 {:.3g} speed2 {:.3g} torque {:.3g} change {:.3g}\n",
        task.horizon, task.angles, task.speed1, task.speed2, task.torque, task.change);
    std::fflush(stdout);
  }
}

const char* robot_of(Motor motor) { return motor == Motor::elbow ? "acrobot" : "pendubot"; }

// The best that our planner finds with the true dynamics, if standing then costs nothing.
void limit(Motor motor, const Options& options) {
  const DoublePendulum machine{.motor = motor};
  const SystemSpec spec = with_task(machine.spec(), scored_task(motor));
  const System system = DescribedDoublePendulum{machine, spec};
  SwingUpScore best;
  for (int i = 0; i < options.tries; ++i) {
    const Plan found = plan_truly(system, {.starts = 30,
                                           .shooting = {.tolerance = 1e-6},
                                           .seed = static_cast<std::uint64_t>(options.first + i)});
    const SwingUpScore score = score_of_plan(machine, found.actions);
    if (!(score.score > best.score)) continue;
    best = score;
  }
  print_header(std::string(robot_of(motor)) + ", true dynamics");
  print_score("plan, then still", best);
  fmt::print("\n");
}

void print_medians(const std::vector<SwingUpScore>& scores, const std::vector<double>& seconds) {
  const auto median = [&](auto&& value) {
    std::vector<double> values;
    for (const SwingUpScore& s : scores) values.push_back(value(s));
    return quantile(values, 0.5);
  };
  int up = 0;
  for (const SwingUpScore& s : scores) up += s.success;
  fmt::print("{:<26} {:>4} {:>6.3f} {:>7.2f} {:>7.2f} {:>7.2f} {:>8.4f} {:>8.1f}\n\n",
             fmt::format("median       {:>6.1f} s", quantile(seconds, 0.5)),
             fmt::format("{}/{}", up, scores.size()),
             median([](const SwingUpScore& s) { return s.score; }),
             median([](const SwingUpScore& s) { return s.time; }),
             median([](const SwingUpScore& s) { return s.energy; }),
             median([](const SwingUpScore& s) { return s.torque; }),
             median([](const SwingUpScore& s) { return s.smoothness; }),
             median([](const SwingUpScore& s) { return s.velocity; }));
  std::fflush(stdout);
}

void arena(Motor motor, const Options& options) {
  const DoublePendulum machine{.motor = motor};
  print_header(fmt::format("{}, after interaction", robot_of(motor)));
  std::vector<SwingUpScore> scores;
  std::vector<double> seconds;
  for (int i = 0; i < options.seeds; ++i) {
    const int seed = options.first + i;
    Stopwatch watch;
    const SwingUpLearned learned = learn_swing_up(machine, scored_task(motor), options.learning,
                                                  static_cast<std::uint64_t>(seed));
    const SwingUpRecord record = controlled(machine, learned, options.learning, 500);
    scores.push_back(realaigym_score(record, machine));
    seconds.push_back(learned.seconds);
    print_score(fmt::format("seed {:>2}      {:>6.1f} s", seed, learned.seconds), scores.back());
    if (options.learning.verbose > 0) fmt::print("  took {:.0f} s\n", watch.seconds());
    if (!options.out.empty()) {
      std::filesystem::create_directories(options.out);
      write_realaigym_csv(record, fmt::format("{}/{}-{}.csv", options.out, robot_of(motor), seed));
    }
  }
  print_medians(scores, seconds);
}

// Share of trials that still succeed.
void robust(Motor motor, const Options& options) {
  const DoublePendulum right{.motor = motor};
  struct Row {
    std::string name;
    std::vector<int> up{};
  };
  std::vector<Row> rows;
  const auto row = [&](const std::string& name) -> Row& {
    for (Row& r : rows)
      if (r.name == name) return r;
    return rows.emplace_back(Row{name});
  };
  for (int i = 0; i < options.seeds; ++i) {
    const auto seed = static_cast<std::uint64_t>(options.first + i);
    const SwingUpLearned learned =
        learn_swing_up(right, scored_task(motor), options.learning, seed);
    const auto tried = [&](const std::string& name, const DoublePendulum& machine,
                           const TrialTroubles& troubles, std::uint64_t trial) {
      const SwingUpRecord record =
          controlled(machine, learned, options.learning, 500, troubles, trial);
      row(name).up.push_back(realaigym_score(record, machine).success);
    };
    tried("as learned", right, {}, 1);
    const auto wrong = [&](const std::string& name, auto&& change) {
      for (const double by : {-0.25, -0.1, 0.1, 0.25}) {
        DoublePendulum machine = right;
        change(machine, by);
        tried(fmt::format("{} {:+.0f} %", name, 100 * by), machine, {}, 1);
      }
    };
    wrong("m1 r1", [](DoublePendulum& m, double by) { m.centre[0] *= 1 + by; });
    wrong("I1", [](DoublePendulum& m, double by) { m.inertia[0] *= 1 + by; });
    wrong("m2 r2", [](DoublePendulum& m, double by) { m.centre[1] *= 1 + by; });
    wrong("m2", [](DoublePendulum& m, double by) {
      m.mass[1] *= 1 + by;
      m.centre[1] /= 1 + by;
    });
    wrong("I2", [](DoublePendulum& m, double by) { m.inertia[1] *= 1 + by; });
    for (const double b : {-0.1, -0.03, 0.03, 0.1}) {
      DoublePendulum machine = right;
      machine.damping[0] = b;
      tried(fmt::format("damping 1 {:+.2f}", b), machine, {}, 1);
      machine = right;
      machine.damping[1] = b;
      tried(fmt::format("damping 2 {:+.2f}", b), machine, {}, 1);
    }
    for (const double f : {-0.2, -0.05, 0.05, 0.2}) {
      DoublePendulum machine = right;
      machine.friction[0] = f;
      tried(fmt::format("friction 1 {:+.2f}", f), machine, {}, 1);
      machine = right;
      machine.friction[1] = f;
      tried(fmt::format("friction 2 {:+.2f}", f), machine, {}, 1);
    }
    for (const double noise : {0.05, 0.15, 0.5})
      for (std::uint64_t k = 1; k <= 3; ++k)
        tried(fmt::format("noise of speeds {:.2f}", noise), right, {.speed_noise = noise}, k);
    for (const double noise : {0.1, 0.3, 1.1})
      for (std::uint64_t k = 1; k <= 3; ++k)
        tried(fmt::format("noise of torque {:.1f}", noise), right, {.torque_noise = noise}, k);
    for (const double response : {0.1, 0.3, 1.5})
      tried(fmt::format("response {:.1f}", response), right, {.response = response}, 1);
    for (const double delay : {0.006, 0.02, 0.04})
      tried(fmt::format("delay {:.0f} ms", 1e3 * delay), right, {.delay = delay}, 1);
    for (int k = 0; k < options.trials; ++k)
      tried("knocks", right,
            {.push = random_knocks(10, right.substep,
                                   RandomStream(seed, "knocks", static_cast<std::uint64_t>(k)))},
            1);
  }
  fmt::print("{}: trials that end standing, over {} seeds\n", robot_of(motor), options.seeds);
  for (const Row& r : rows) {
    int up = 0;
    for (const int one : r.up) up += one;
    fmt::print("{:<26} {:>3} of {}\n", r.name, up, r.up.size());
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  SwingUpSettings& learning = options.learning;
  const std::map<std::string, int*> whole = {{"seeds", &options.seeds},
                                             {"first", &options.first},
                                             {"tries", &options.tries},
                                             {"trials", &options.trials},
                                             {"explore", &learning.explore},
                                             {"explore_steps", &learning.explore_steps},
                                             {"attempts", &learning.attempts},
                                             {"fewest", &learning.fewest},
                                             {"attempt_steps", &learning.attempt_steps},
                                             {"starts", &learning.starts},
                                             {"task_hops", &learning.hops},
                                             {"draws", &learning.draws},
                                             {"iterations", &learning.iterations},
                                             {"replan", &learning.replan},
                                             {"known", &learning.known},
                                             {"inside", &learning.inside},
                                             {"learn", &learning.learn},
                                             {"offset", &learning.offset},
                                             {"watch", &learning.watch},
                                             {"verbose", &learning.verbose}};
  const std::map<std::string, double*> real = {{"explore_change", &learning.explore_change},
                                               {"most", &learning.most},
                                               {"hopeless", &learning.hopeless},
                                               {"control_change", &learning.control_change},
                                               {"speed1", &learning.speed1},
                                               {"speed2", &learning.speed2},
                                               {"enough", &learning.enough}};
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (equals == std::string::npos)
      words.push_back(word);
    else if (whole.contains(key))
      *whole.at(key) = std::atoi(word.c_str() + equals + 1);
    else if (real.contains(key))
      *real.at(key) = std::atof(word.c_str() + equals + 1);
    else if (key == "out")
      options.out = word.substr(equals + 1);
    else
      learning.settings.push_back(word);
  }
  const std::string what = words.empty() ? "arena" : words[0];
  if (!words.empty()) words.erase(words.begin());
  if (words.empty()) words = {"acrobot", "pendubot"};
  try {
    if (what == "score") {
      print_header("trial");
      for (const std::string& file : words)
        print_score(file.size() > 24 ? file.substr(file.size() - 24) : file,
                    realaigym_score(read_realaigym_csv(file), {}));
      return 0;
    }
    for (const std::string& robot : words) {
      const Motor motor = robot == "pendubot" ? Motor::shoulder : Motor::elbow;
      if (what == "scan") scan(motor, options);
      if (what == "limit") limit(motor, options);
      if (what == "arena") arena(motor, options);
      if (what == "robust") robust(motor, options);
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "realaigym: {}\n", error.what());
    return 2;
  }
}
