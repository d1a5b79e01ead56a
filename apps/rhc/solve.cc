#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "apps/rhc/threads_option.h"
#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/evaluate/task_cost.h"
#include "rhc/format/json.h"
#include "rhc/plan/feedback.h"
#include "rhc/plan/plan_over_draws.h"
#include "rhc/run/learned_model.h"

namespace rhc::app {

namespace {

struct SolveOptions {
  std::string run, out, start;
  int threads = 1, horizon = 0, starts = 0, hops = -1, draws = -1;
  std::optional<double> sigmas;
  bool json = false;
};

// The plan with everything that is needed to put it on the machine.
struct Solution {
  Plan plan;
  Forecast forecast;
  std::vector<std::string> corrected_by;  // what a gain is multiplied with
  Matrix gains;                           // for each step a column for each of these
};

// What was planned for the last observation, and where the model sees more, for what was seen and
// done before it.
std::vector<std::string> states_of(const SystemSpec& spec) {
  std::vector<std::string> names = names_of(spec.observation);
  for (const auto& quantities : {spec.observation, spec.action})
    for (int back = 1; back < spec.history; ++back)
      for (const std::string& name : names_of(quantities))
        names.push_back(fmt::format("{}_{}_before", name, back));
  return names;
}

Solution solve(const DynamicsModel& model, const SystemSpec& spec, const Trajectory& before,
               bool stay_inside, double sigmas, int draws, const PlannerSettings& settings) {
  Solution solution{.plan = plan_over_draws({.model = model,
                                             .spec = spec,
                                             .before = before,
                                             .horizon = spec.horizon,
                                             .limits = task_limits(spec, stay_inside),
                                             .objective = task_objective(spec.task),
                                             .sigmas = sigmas},
                                            draws, settings),
                    .forecast = {},
                    .corrected_by = states_of(spec),
                    .gains = {}};
  const Plan& plan = solution.plan;
  solution.forecast = forecast(model, before, plan.states, plan.actions);
  if (plan.status == PlanStatus::failed) {
    solution.gains =
        Matrix::Zero(plan.actions.rows(),
                     static_cast<Index>(solution.corrected_by.size()) * plan.actions.cols());
    return solution;
  }
  const auto gains = feedback_gains(model, spec.task, spec.action_bounds, before, plan.actions);
  if (!gains)
    throw LearningError(
        "the feedback gains around this plan are not finite: the model's derivatives along it are "
        "too large; plan from another start (--start) or for fewer steps (--horizon)");
  solution.gains = *gains;
  return solution;
}

Json solution_json(const SystemSpec& spec, const Solution& solution) {
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
std::string solution_csv(const SystemSpec& spec, const Solution& solution) {
  const Plan& plan = solution.plan;
  std::string text = "time";
  for (const std::string& action : names_of(spec.action)) text += "," + action;
  for (const std::string& seen : names_of(spec.observation))
    text += fmt::format(",{},{}_sd", seen, seen);
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

// A machine will follow the plan, so nothing that it depends on may be in doubt.
void refuse_damage(const RunRecord& run) {
  for (const std::string& remark : run.remarks())
    fmt::print(stderr, "rhc: {}: {}\n", run.path.string(), remark);
  if (!run.damaged.empty())
    throw InputError(fmt::format(
        "'{}' is damaged, and nothing is planned with it; `rhc inspect {}` lists it, `rhc resume "
        "{} "
        "--repair` mends it\n     {}",
        run.path.string(), run.path.string(), run.path.string(),
        fmt::join(run.damaged, "\n     ")));
}

int run(const SolveOptions& options) {
  const RunRecord record = read_run(options.run);
  refuse_damage(record);
  const System system = system_of(record);
  SystemSpec spec = system.spec();
  const std::optional<DynamicsModel> model = learned_model(record);
  if (!model) throw InputError(fmt::format("'{}' has learned nothing yet", options.run));
  if (!spec.task.weighs())
    throw InputError(fmt::format(
        "'{}' has no task; give its file a [task] with a target and weights", spec.name));
  if (options.horizon > 0) spec.horizon = options.horizon;
  const double sigmas = options.sigmas.value_or(spec.safety.sigmas);
  Trajectory before = standing_at(system.observe(spec.start), spec.action_bounds.size());
  if (!options.start.empty()) {
    if (record.description.empty())
      throw InputError("--start needs a system that a file describes");
    before = parse_measured_start(options.start, system_file_of(record));
    check_start(spec, before.observations.rightCols(1));
  }

  const Config& config = record.config;
  if (config.plan.stay_inside && config.plan.learn_limits) {
    const LearnedLimits learned = learned_limits(ends_seen(record));
    spec.limits = narrowed_for_task(spec, learned, before.observations.rightCols(1));
    if (learned.any())
      fmt::print(stderr,
                 "Episodes were ended by the plant elsewhere, so the plan stays where {}.\n",
                 in_words(learned, spec));
  }
  PlannerSettings settings = task_planner_settings(config, options.threads);
  if (options.starts > 0) settings.starts = options.starts;
  if (options.hops >= 0) settings.hops = options.hops;
  const int draws = options.draws >= 0 ? options.draws : config.judge.task_draws;
  const Solution solution =
      solve(*model, spec, before, config.plan.stay_inside, sigmas, draws, settings);
  write_or_print(options.out, options.json ? dump_any(solution_json(spec, solution)) + "\n"
                                           : solution_csv(spec, solution));
  fmt::print(stderr, "Predicted cost {:.6g} over {} steps ({}){}\n", solution.plan.objective,
             spec.horizon, name(solution.plan.status),
             options.out.empty() ? "" : "; written to " + options.out);
  if (solution.plan.status == PlanStatus::failed) return kFailed;
  if (solution.plan.status == PlanStatus::infeasible)
    fmt::print(stderr, "rhc: the plan does not stay inside the limits as it should\n");
  if (solution.plan.status == PlanStatus::shrunk)
    fmt::print(stderr,
               "rhc: no plan of the task stays inside the limits by {} deviations. This one has "
               "smaller actions, and may not do the task at all; `--sigmas 0` plans without the "
               "margin\n",
               sigmas);
  return kDone;
}

}  // namespace

void add_solve(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<SolveOptions>();
  CLI::App* command = program.add_subcommand(
      "solve",
      "Plan the system's task with what a run has learned: actions, predicted observations and\n"
      "feedback gains, a = a_plan + K (o - o_plan), to be put on the machine\n"
      "Example: rhc solve runs/lab --out swing-up.csv");
  command->add_option("run", options->run, "Run directory")->required();
  command->add_option("--out", options->out, "File to write (default: the standard output)");
  command->add_flag("--json", options->json, "JSON instead of CSV");
  command->add_option("--start", options->start, kMeasuredStart);
  command->add_option("--horizon", options->horizon, "Steps (default: as an experiment has)")
      ->check(CLI::Range(1, 100000));
  command->add_option("--starts", options->starts, "Points from which the plan is searched")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--hops", options->hops, "Times the best plan is disturbed and solved again")
      ->check(CLI::Range(0, 1000000));
  command
      ->add_option("--draws", options->draws,
                   "Systems that the model holds possible, over which the expected cost is made\n"
                   "small (default: the run's task_draws; 0: plan for the mean of the model)")
      ->check(CLI::Range(0, 1000));
  add_sigmas_option(*command, options->sigmas);
  add_threads_option(*command, options->threads);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace rhc::app
