// How long a step of the controller takes while it goes on learning: it learns from the last
// transition, estimates the state, and plans the rest anew.
//   control_step [SYSTEM ...] [seeds=5] [first=101] [horizon=50] [episodes=3] [key=value ...]
// Settings as for `rhc explore`. The horizon recedes: every plan is of so many steps. Milliseconds
// of CPU time of one thread.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/learned_model.h"
#include "bench/usual_noise.h"
#include "rhc/core/error.h"
#include "rhc/core/stopwatch.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/settings.h"
#include "rhc/model/online_regression.h"
#include "rhc/plan/task_controller.h"

namespace {

using namespace rhc;

double thread_milliseconds() { return 1e3 * thread_cpu_seconds(); }

struct Times {
  std::vector<double> learning, stepping, together;
  std::vector<double> end;  // by seed: what a step costs in the last plan's time, of the first one
};

// The task, over and over, by a controller that learns.
void control(const Config& config, const System& system, Index horizon, Times& times) {
  const SystemSpec& spec = system.spec();
  DynamicsModel model = bench::learned_model(config, system);
  OnlineRegression online(model.regression);
  SimulatedPlant plant(system, noise_levels(config, spec), RandomStream(config.seed, "control"));
  Vector seen = plant.reset(spec.start), action = Vector::Zero(spec.action_bounds.size());
  std::optional<ControlByModel> by_model;
  by_model.emplace(model, spec, config.plan.stay_inside);
  const StateEstimate where = by_model->measured_to_be(standing_at(seen, action.size()));
  const Plan plan = rhc::plan(by_model->task(where.mean, horizon), {.starts = 8});
  TaskController controller(*by_model, where, plan.actions, {.receding = true});
  const double at_start = spec.task.stage_cost(seen, action);
  double at_end = 0;
  for (Index t = 0; t < 4 * horizon; ++t) {
    const double begin = thread_milliseconds();
    action = controller.step(seen);
    const double stepped = thread_milliseconds();
    const Vector next = plant.step(action);
    const double measured = thread_milliseconds();
    const Matrix input = model.inputs(seen, action);
    online.learn(input.col(0), next - seen);
    online.solve();
    model.regression = online.regression;
    ControlByModel learned_since(model, spec, config.plan.stay_inside);
    const double end = thread_milliseconds();
    by_model.emplace(learned_since);
    controller.go_by(*by_model);
    seen = next;
    if (t >= 3 * horizon) at_end += spec.task.stage_cost(seen, action);
    if (t == 0) continue;  // it follows the first plan
    times.stepping.push_back(stepped - begin);
    times.learning.push_back(end - measured);
    times.together.push_back(stepped - begin + end - measured);
  }
  times.end.push_back(at_end / static_cast<double>(horizon) / at_start);
}

void print(const char* what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  fmt::print("  {:<20} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f}\n", what, at(0.5), at(0.9), at(0.99),
             at(1));
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 5, first = 101, horizon = 50;
  auto [systems, settings] = bench::read_arguments(
      argc, argv, {{"seeds", &seeds}, {"first", &first}, {"horizon", &horizon}});
  if (systems.empty()) systems = {"cartpole"};
  try {
    for (const std::string& name : systems) {
      const System system = bundled_system(name);
      Config config = preset("default", system.spec());
      config.episodes = 3;
      config.noise.observation = bench::usual_noise(name);
      for (const std::string& setting : settings) assign(config, setting);
      Times times;
      for (int i = 0; i < seeds; ++i) {
        config.seed = static_cast<std::uint64_t>(first + i);
        control(config, system, horizon, times);
      }
      fmt::print("{}, horizon {}, {} steps, ms {:>18} {:>9} {:>9} {:>9}\n", name, horizon,
                 times.together.size(), "median", "9th decile", "99 %", "most");
      print("learns", times.learning);
      print("estimates and plans", times.stepping);
      print("together", times.together);
      std::sort(times.end.begin(), times.end.end());
      fmt::print("  a step costs at the end, of what it costs at the start: {:.4f} to {:.4f}\n",
                 times.end.front(), times.end.back());
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "control_step: {}\n", error.what());
    return 2;
  }
}
