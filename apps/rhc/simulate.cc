#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "apps/rhc/commands.h"
#include "apps/rhc/start_option.h"
#include "rhc/describe/system_file.h"
#include "rhc/format/files.h"
#include "rhc/store/trajectory_csv.h"

namespace rhc::app {

namespace {

struct SimulateOptions {
  std::string system, start, actions;
  bool no_end = false;
};

// The system moves as with the bound; once is enough to know it.
void warn_of_clipping(const SystemSpec& spec, const Matrix& actions) {
  for (Index step = 0; step < actions.cols(); ++step) {
    const Index i = spec.action_bounds.first_outside(actions.col(step));
    if (i < 0) continue;
    fmt::print(stderr,
               "rhc: step {}: {} = {} is outside its bounds [{}, {}]; the system moves as with the "
               "nearest bound, there and wherever else\n",
               step, spec.action[static_cast<std::size_t>(i)].name, actions(i, step),
               spec.action_bounds.lower[i], spec.action_bounds.upper[i]);
    return;
  }
}

void write_simulation(const SimulateOptions& options) {
  const System system = open_system(options.system);
  const SystemSpec& spec = system.spec();
  Vector state =
      options.start.empty() ? spec.start : parse_start(options.start, spec, spec.name + " takes");
  const Matrix actions = parse_actions(read_input(options.actions), options.actions, spec);

  Trajectory trajectory{Matrix(spec.outputs(), actions.cols() + 1), actions};
  trajectory.observations.col(0) = system.observe(state);
  Index steps = 0;
  Index outside = -1;
  while (steps < actions.cols() && outside < 0) {
    state = system.step(state, actions.col(steps));
    trajectory.observations.col(++steps) = system.observe(state);
    if (!options.no_end) outside = spec.limits.first_outside(trajectory.observations.col(steps));
  }
  trajectory.observations.conservativeResize(Eigen::NoChange, steps + 1);
  trajectory.actions.conservativeResize(Eigen::NoChange, steps);
  fmt::print("{}", trajectory_csv(spec, trajectory));
  warn_of_clipping(spec, trajectory.actions);
  if (outside >= 0 && steps < actions.cols())
    fmt::print(stderr,
               "rhc: ended after step {} of {}: {} = {} is outside [{}, {}]; --no-end goes on\n",
               steps, actions.cols(), spec.observation[static_cast<std::size_t>(outside)].name,
               trajectory.observations(outside, steps), spec.limits.lower[outside],
               spec.limits.upper[outside]);
}

}  // namespace

void add_simulate(CLI::App& program, int&) {
  const auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = program.add_subcommand(
      "simulate",
      "Roll a system out and print the trajectory as CSV\n"
      "Example: rhc simulate pendulum --start 3.14159,0 --actions actions.csv");
  command->add_option("system", options->system, "Name of the system (see `rhc systems`)")
      ->type_name("SYSTEM")
      ->required();
  command
      ->add_option("--start", options->start,
                   "Internal state s1,s2,... to start from (default: the system's own start)")
      ->type_name("VALUES");
  command
      ->add_option("--actions", options->actions,
                   "CSV file with a column for each action; other columns are ignored")
      ->type_name("FILE")
      ->required();
  command->add_flag("--no-end", options->no_end, "Ignore the end conditions");
  command->callback([options] { write_simulation(*options); });
}

}  // namespace rhc::app
