#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "apps/rhc/plan_options.h"
#include "rhc/core/text.h"
#include "rhc/format/json.h"
#include "rhc/run/keep_control.h"

namespace rhc::app {

namespace {

struct SolveOptions {
  std::string run, out;
  PlanningOptions plan;
  bool json = false;
};

Json solution_json(const Solution& solution) {
  const SystemSpec& spec = solution.spec;
  const Plan& plan = solution.plan;
  const auto nx = static_cast<Index>(solution.corrected_by.size());
  Json gains = Json::array();
  for (Index t = 0; t < plan.actions.cols(); ++t)
    gains.push_back(matrix_json(solution.gains.middleCols(t * nx, nx)));
  return {{"format", "rhc-solution"},
          {"format_version", 1},
          {"system", spec.name},
          {"time_step", spec.time_step},
          {"status", name(plan.status)},
          {"predicted_cost", plan.objective},
          {"action_names", names_of(spec.action)},
          {"observation_names", names_of(spec.observation)},
          {"actions", matrix_json(plan.actions.transpose())},
          {"observations", matrix_json(plan.states.transpose())},
          {"deviations", matrix_json(solution.forecast.deviation.transpose())},
          {"corrected_by", solution.corrected_by},
          {"gains", gains}};
}

// A row a step: time, actions, observations with their deviations, gains of each action.
std::string solution_csv(const Solution& solution) {
  const SystemSpec& spec = solution.spec;
  const Plan& plan = solution.plan;
  std::string text = "time [s]";
  for (const Quantity& action : spec.action) text += "," + with_unit(action);
  for (const Quantity& seen : spec.observation)
    text += fmt::format(",{},{}", with_unit(seen), with_unit({seen.name + "_sd", seen.unit}));
  for (const std::string& action : names_of(spec.action))
    for (const std::string& seen : solution.corrected_by)
      text += fmt::format(",gain_{}_{}", action, seen);
  text += "\n";
  const Index T = plan.actions.cols(), D = spec.outputs(), nx = solution.gains.cols() / T;
  for (Index t = 0; t <= T; ++t) {
    text += exact(static_cast<double>(t) * spec.time_step);
    for (Index i = 0; i < plan.actions.rows(); ++i)
      text += t < T ? "," + exact(plan.actions(i, t)) : ",";
    for (Index k = 0; k < D; ++k)
      text +=
          fmt::format(",{},{:.9g}", exact(plan.states(k, t)), solution.forecast.deviation(k, t));
    for (Index i = 0; i < plan.actions.rows(); ++i)
      for (Index k = 0; k < nx; ++k)
        text += t < T ? "," + exact(solution.gains(i, t * nx + k)) : ",";
    text += "\n";
  }
  return text;
}

int run(const SolveOptions& options) {
  const RunRecord record = read_run(options.run);
  for (const std::string& remark : record.remarks())
    fmt::print(stderr, "rhc: {}: {}\n", record.path.string(), remark);
  for (const int number : controls_to_keep(record.path))
    fmt::print(
        stderr,
        "rhc: what was learned in control/{:04} is not kept yet, for its process was ended; the "
        "next `rhc control {}` does it\n",
        number, options.run);
  const Solution solution = solve_run(record, solve_settings(options.plan, record));
  for (const std::string& remark : solution.remarks) fmt::print(stderr, "rhc: {}\n", remark);
  write_or_print(options.out,
                 options.json ? dump_any(solution_json(solution)) + "\n" : solution_csv(solution));
  fmt::print(stderr, "Predicted cost {:.6g} over {} steps ({}){}\n", solution.plan.objective,
             solution.spec.horizon, name(solution.plan.status),
             options.out.empty() ? "" : "; written to " + options.out);
  return tell_status(solution);
}

}  // namespace

void add_solve(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<SolveOptions>();
  CLI::App* command = program.add_subcommand(
      "solve",
      "Plan the system's task with what a run has learned: actions, predicted observations and\n"
      "feedback gains, a = a_plan + K (o - o_plan), to be put on the machine\n"
      "Example: rhc solve runs/lab --target angle=90deg --out quarter-turn.csv");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command->add_option("--out", options->out, "File to write (default: the standard output)")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "JSON instead of CSV");
  add_plan_options(*command, options->plan);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace rhc::app
