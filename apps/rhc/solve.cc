#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "apps/rhc/threads_option.h"
#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/evaluate/plan_safely.h"
#include "rhc/evaluate/task_outlook.h"
#include "rhc/io/json.h"
#include "rhc/io/model_file.h"
#include "rhc/plan/feedback.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/task.h"

namespace rhc::app {

namespace {

struct Options {
  std::string run, out, start;
  int threads = 1, horizon = 0, starts = 0, hops = -1;
  bool json = false;
};

// The plan with everything that is needed to put it on the machine.
struct Solution {
  Plan plan;
  Forecast forecast;
  Matrix gains;  // k x (D T)
};

Solution solve(const BayesianLinearModel& belief, const SystemSpec& spec, const Vector& start,
               const Config& config, const PlannerSettings& settings) {
  const std::vector<AnglePair> circles =
      config.stay_inside ? spec.angles : std::vector<AnglePair>{};
  ModelPlanProblem problem{
      .model = belief,
      .spec = spec,
      .angles = circles,
      .start = start,
      .limits = config.stay_inside ? spec.limits : Box::unbounded(spec.outputs()),
      .objective = [&](const Belief&, const Layout& layout) -> std::unique_ptr<Objective> {
        return std::make_unique<Task>(spec.task, layout);
      }};
  Solution solution{.plan = plan_safely(problem, settings), .forecast = {}, .gains = {}};
  const Plan& plan = solution.plan;
  solution.forecast = forecast(belief, circles, plan.states, plan.actions);

  // Corrections by the last observation alone: what was seen before it is taken to be as planned.
  const Layout layout{
      .observed = spec.outputs(), .acted = spec.action_bounds.size(), .history = spec.history};
  const Belief planned = layout.lift(belief_of(belief, circles));
  const MeanDynamics dynamics(planned, plan.actions.cols());
  Rollout rollout(layout.states(), layout.acted, planned.features(), plan.actions.cols());
  rollout.states.col(0) = layout.first_state(start, {});
  rollout.actions = plan.actions;
  follow(dynamics, rollout);
  Task task(spec.task, layout);
  const Matrix K = feedback_gains(dynamics, task, rollout);
  const Index D = spec.outputs(), nx = layout.states();
  solution.gains.resize(K.rows(), D * plan.actions.cols());
  for (Index t = 0; t < plan.actions.cols(); ++t)
    solution.gains.middleCols(t * D, D) = K.middleCols(t * nx, D);
  return solution;
}

Json solution_json(const SystemSpec& spec, const Solution& solution) {
  const Plan& plan = solution.plan;
  Json gains = Json::array();
  for (Index t = 0; t < plan.actions.cols(); ++t)
    gains.push_back(matrix_json(solution.gains.middleCols(t * spec.outputs(), spec.outputs())));
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
          {"gains", gains}};
}

// A row a step: time, actions, observations with their deviations, gains of each action.
std::string solution_csv(const SystemSpec& spec, const Solution& solution) {
  const Plan& plan = solution.plan;
  std::string text = "time";
  for (const std::string& action : names_of(spec.action)) text += "," + action;
  for (const std::string& seen : names_of(spec.observation))
    text += fmt::format(",{},{}_sd", seen, seen);
  for (const std::string& action : names_of(spec.action))
    for (const std::string& seen : names_of(spec.observation))
      text += fmt::format(",gain_{}_{}", action, seen);
  text += "\n";
  const Index T = plan.actions.cols(), D = spec.outputs();
  for (Index t = 0; t <= T; ++t) {
    text += exact(static_cast<double>(t) * spec.time_step);
    for (Index i = 0; i < plan.actions.rows(); ++i)
      text += t < T ? "," + exact(plan.actions(i, t)) : ",";
    for (Index k = 0; k < D; ++k)
      text +=
          fmt::format(",{},{:.9g}", exact(plan.states(k, t)), solution.forecast.deviation(k, t));
    for (Index i = 0; i < plan.actions.rows(); ++i)
      for (Index k = 0; k < D; ++k) text += t < T ? "," + exact(solution.gains(i, t * D + k)) : ",";
    text += "\n";
  }
  return text;
}

int run(const Options& options) {
  const RunRecord record = read_run(options.run);
  const System system = system_of(record);
  SystemSpec spec = system.spec();
  if (!std::filesystem::exists(record.path / "model.json"))
    throw InputError(fmt::format("'{}' has learned nothing yet", options.run));
  if (!spec.task.weighs())
    throw InputError(fmt::format(
        "'{}' has no task; give its file a [task] with a target and weights", spec.name));
  const BayesianLinearModel belief = read_model(record.path / "model.json");
  if (options.horizon > 0) spec.horizon = options.horizon;
  Vector start = system.observe(spec.start);
  if (!options.start.empty()) {
    if (!std::filesystem::exists(record.path / kSystemFile))
      throw InputError("--start needs a system that a file describes");
    start = parse_measured_start(options.start, read_system_file(record.path / kSystemFile));
  }

  const Config& config = record.config;
  PlannerSettings settings = task_planner_settings(config, options.threads);
  if (options.starts > 0) settings.starts = options.starts;
  if (options.hops >= 0) settings.hops = options.hops;
  const Solution solution = solve(belief, spec, start, config, settings);
  write_or_print(options.out, options.json ? dump_any(solution_json(spec, solution)) + "\n"
                                           : solution_csv(spec, solution));
  fmt::print(stderr, "Predicted cost {:.6g} over {} steps ({}){}\n", solution.plan.objective,
             spec.horizon, name(solution.plan.status),
             options.out.empty() ? "" : "; written to " + options.out);
  if (solution.plan.status == PlanStatus::failed) return kFailed;
  if (solution.plan.status == PlanStatus::infeasible)
    fmt::print(stderr, "rhc: the plan does not stay inside the limits as it should\n");
  return kDone;
}

}  // namespace

void add_solve(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "solve",
      "Plan the system's task with what a run has learned: actions, predicted observations and\n"
      "feedback gains, a = a_plan + K (o - o_plan), to be put on the machine\n"
      "Example: rhc solve runs/lab --out swing-up.csv");
  command->add_option("run", options->run, "Run directory")->required();
  command->add_option("--out", options->out, "File to write (default: the standard output)");
  command->add_flag("--json", options->json, "JSON instead of CSV");
  command->add_option(
      "--start", options->start,
      "Where the machine stands now: the measured values, in the order of the file");
  command->add_option("--horizon", options->horizon, "Steps (default: as an experiment has)")
      ->check(CLI::Range(1, 100000));
  command->add_option("--starts", options->starts, "Points from which the plan is searched")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--hops", options->hops, "Times the best plan is disturbed and solved again")
      ->check(CLI::Range(0, 1000000));
  add_threads_option(*command, options->threads);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace rhc::app
