// Plans of a task for the systems that are held possible, not for the mean of the model alone.
#pragma once

#include "rhc/plan/plan_with_model.h"

namespace rhc {

// The mean of a model with these weights, by group, in place of its own.
PlanningModel with_weights(const DynamicsModel& model, const std::vector<Matrix>& weights,
                           const Layout& layout);

// The expected cost of a plan over systems drawn from the posterior, and better plans by it.
// The draws are the same for all plans, so that differences between plans are no matter of luck.
class TaskOverDraws {
 public:
  // `systems`: how many are drawn. The problem's objective must be a cost, its model must live.
  TaskOverDraws(const ModelPlanProblem& problem, int systems, std::uint64_t seed);
  TaskOverDraws(const TaskOverDraws&) = delete;
  ~TaskOverDraws();

  // Infinite where a system or its cost is not finite.
  double expected(const Matrix& actions);

  // Actions of less expected cost nearby, by projected Gauss-Newton steps; as many at the most.
  Matrix improved(Matrix actions, int steps);

 private:
  struct Drawn;

  bool expand(const Matrix& actions);

  const ModelPlanProblem& problem_;
  const Layout layout_;
  std::vector<std::unique_ptr<Drawn>> systems_;
  Matrix hessian_;
  Vector gradient_;
};

// The plan of least expected cost over `draws` systems that is found, beginning with the best plans
// for the mean of the model: a plan that is best for the mean may stand on a knife's edge that the
// posterior knows of. Where the draws agree with the mean, or there are none, it is the plan for
// the mean. Objective and states of the result are those of the mean.
Plan plan_over_draws(const ModelPlanProblem& problem, int draws, const PlannerSettings& settings,
                     const std::vector<Matrix>& suggestions = {});

// That plan, and the one for the mean where it is another: feedback may save what would fail
// blindly.
std::vector<Plan> plans_over_draws(const ModelPlanProblem& problem, int draws,
                                   const PlannerSettings& settings,
                                   const std::vector<Matrix>& suggestions = {});

}  // namespace rhc
