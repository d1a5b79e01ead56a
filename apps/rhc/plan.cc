#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/rhc/commands.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/core/stopwatch.h"
#include "rhc/core/text.h"
#include "rhc/describe/problem_file.h"
#include "rhc/format/json.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/planner.h"
#include "rhc/plan/task.h"

namespace rhc::app {

namespace {

struct PlanFileOptions {
  std::string file, objective = "evr", weights = "uniform";
  double discount = 0.97;
  PlannerSettings planner{};
};

std::vector<std::string> objective_names() {
  std::vector<std::string> names = curious_objectives();
  names.push_back("task");
  return names;
}

PlanProblem posed(const ProblemFile& file, const PlanFileOptions& options) {
  PlanProblem problem{
      .dynamics = [&] { return std::make_unique<MeanDynamics>(file.model, file.horizon); },
      .objective = {},
      .first_state = file.start,
      .action_bounds = file.action_bounds,
      .state_bounds = file.state_bounds,
      .horizon = file.horizon};
  if (options.objective == "task") {
    if (!file.task) throw InputError(options.file + ": there is no \"task\" to plan for");
    problem.objective = [&] { return std::make_unique<Task>(*file.task); };
    return problem;
  }
  Vector weights = time_weights(options.weights == "last"       ? TimeWeights::last
                                : options.weights == "discount" ? TimeWeights::discount
                                                                : TimeWeights::uniform,
                                options.discount, file.horizon);
  // The file's variances are not relative to the noise, and neither is their sum.
  if (options.objective == "us") weights /= file.beta;
  problem.objective = [&, weights] {
    return make_curious_objective(options.objective, file.model, weights);
  };
  return problem;
}

int plan_file(const PlanFileOptions& options) {
  const ProblemFile file = read_problem(options.file);
  const PlanProblem problem = posed(file, options);
  const double start = cpu_seconds();
  const Plan result = plan(problem, options.planner);
  const double seconds = cpu_seconds() - start;

  Json json;
  json["problem"] = file.name;
  json["method"] = options.objective;
  json["objective"] = result.objective;
  json["status"] = name(result.status);
  json["defect"] = result.defect;
  json["bound_violation"] = result.bound_violation;
  json["iterations"] = result.iterations;
  json["starts"] = options.planner.starts;
  json["seconds"] = seconds;
  // One action a step is one number a step.
  json["actions"] = result.actions.rows() == 1 ? vector_json(result.actions.row(0).transpose())
                                               : matrix_json(result.actions.transpose());
  fmt::print("{}\n", json.dump());
  return result.status == PlanStatus::failed ? kFailed : kDone;
}

}  // namespace

void add_plan(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<PlanFileOptions>();
  CLI::App* command =
      program.add_subcommand("plan",
                             "Plan the actions of one problem file and print them as JSON\n"
                             "Example: rhc plan problem.json --objective evr --starts 20");
  command
      ->add_option("problem", options->file,
                   "Problem file (`rhc explore --dump-problem` writes one)")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--objective", options->objective,
                   "us (summed variance), info (information step by step), evr (entropy of the\n"
                   "parameters) or task (default evr)")
      ->type_name("OBJECTIVE")
      ->check(CLI::IsMember(objective_names()));
  command->add_option("--weights", options->weights, "How steps count: uniform, last, discount")
      ->type_name("WEIGHTS")
      ->check(CLI::IsMember({"uniform", "last", "discount"}));
  command->add_option("--discount", options->discount, "Factor from step to step (default 0.97)")
      ->check(CLI::Range(0.0, 1.0));
  command
      ->add_option("--starts", options->planner.starts,
                   fmt::format("Points to search from (default {})", options->planner.starts))
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--hops", options->planner.hops,
                   "Times the best plan is disturbed and solved again (default 0)")
      ->check(CLI::Range(0, 1000000));
  command
      ->add_option("--threads", options->planner.threads,
                   "Threads; the plan does not depend on it (default 1)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--seed", options->planner.seed, "Decides the starts (default 1)");
  command->callback([options, &exit_code] { exit_code = plan_file(*options); });
}

}  // namespace rhc::app
