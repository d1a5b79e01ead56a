#include "rhc/plan/plan_over_draws.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/plan/lq/box_qp.h"
#include "rhc/plan/margin.h"
#include "rhc/plan/mean_dynamics.h"

namespace rhc {

PlanningModel with_weights(const DynamicsModel& model, const std::vector<Matrix>& weights,
                           const Layout& layout) {
  DynamicsModel drawn(model.regression, model.shape);
  for (std::size_t g = 0; g < weights.size(); ++g)
    drawn.regression.groups[g].posterior.weights = weights[g];
  return layout.lift(mean_model_of(drawn));
}

struct TaskOverDraws::Drawn {
  Drawn(PlanningModel drawn, const ModelPlanProblem& problem, const Layout& layout)
      : model(std::move(drawn)),
        dynamics(model, problem.horizon),
        objective(problem.objective(model, layout)),
        rollout(model.states(), model.actions(), model.features(), problem.horizon),
        stages(model.states(), model.actions(), problem.horizon),
        feature_slope(Matrix::Zero(model.features(), problem.horizon)) {
    rollout.states.col(0) = layout.first_state(problem.before, problem.model.shape.action_at_rest);
  }

  double follow_actions(const Matrix& actions) {
    rollout.actions = actions;
    follow(dynamics, rollout);
    return objective->evaluate(rollout);
  }

  PlanningModel model;
  MeanDynamics dynamics;
  std::unique_ptr<Objective> objective;
  Rollout rollout;
  lq::Problem stages;
  Matrix feature_slope;
};

TaskOverDraws::TaskOverDraws(const ModelPlanProblem& problem, int systems, std::uint64_t seed)
    : problem_(problem), layout_(layout_of(problem.model.shape, false)) {
  for (const std::vector<Matrix>& weights : problem.model.drawn_weights(systems, seed))
    systems_.push_back(
        std::make_unique<Drawn>(with_weights(problem.model, weights, layout_), problem, layout_));
  const Index size = problem.horizon * layout_.acted;
  hessian_.resize(size, size);
  gradient_.resize(size);
}

TaskOverDraws::~TaskOverDraws() = default;

double TaskOverDraws::expected(const Matrix& actions) {
  double sum = 0;
  for (const auto& system : systems_) sum += system->follow_actions(actions);
  return std::isfinite(sum) ? sum / static_cast<double>(systems_.size()) : kInfinity;
}

// Gradient and Gauss-Newton Hessian of the expected cost by all actions, at the rollouts that
// `expected` left.
bool TaskOverDraws::expand(const Matrix& actions) {
  const Index T = actions.cols(), nu = actions.rows(), nx = layout_.states(), n = nx + nu;
  hessian_.setZero();
  gradient_.setZero();
  Matrix Z(n, T * nu), HZ(n, T * nu);  // d (x_t, u_t) by the actions until then
  for (const auto& system : systems_) {
    lq::Problem& stages = system->stages;
    for (Matrix* part : {&stages.H, &stages.g, &stages.P}) part->setZero();
    stages.p.setZero();
    Expansion at{stages, system->feature_slope};
    system->objective->expand(system->rollout, at);
    system->dynamics.linearize(system->rollout, stages.F);
    Z.setZero();
    for (Index t = 0; t < T; ++t) {
      const Index before = t * nu, now = before + nu;
      Z.bottomLeftCorner(nu, before).setZero();
      Z.block(nx, before, nu, nu).setIdentity();
      auto here = Z.leftCols(now);
      gradient_.head(now).noalias() += here.transpose() * stages.g.col(t);
      HZ.leftCols(now).noalias() = stages.H_(t) * here;
      hessian_.topLeftCorner(now, now).noalias() += here.transpose() * HZ.leftCols(now);
      Z.topLeftCorner(nx, now) = (stages.F_(t) * here).eval();
    }
    const auto last = Z.topRows(nx);
    gradient_.noalias() += last.transpose() * stages.p;
    hessian_.noalias() += last.transpose() * (stages.P * last).eval();
  }
  const double count = static_cast<double>(systems_.size());
  hessian_ /= count;
  gradient_ /= count;
  return gradient_.allFinite() && hessian_.allFinite();
}

Matrix TaskOverDraws::improved(Matrix actions, int steps) {
  constexpr double kEnough = 1e-4;
  const Index T = actions.cols(), nu = actions.rows();
  const Vector lower = problem_.spec.action_bounds.lower.replicate(T, 1);
  const Vector upper = problem_.spec.action_bounds.upper.replicate(T, 1);
  lq::BoxQp program(T * nu);
  double cost = expected(actions), damping = 1e-3;
  for (int i = 0; i < steps && std::isfinite(cost); ++i) {
    if (!expand(actions)) break;
    const double size = hessian_.diagonal().mean();
    const Vector here = actions.reshaped();
    double gain = 0;
    for (; damping < 1e4 && gain <= 0; damping *= 8) {
      Matrix damped = hessian_;
      damped.diagonal().array() += damping * size + 1e-300;
      if (!program.solve(damped, gradient_, lower - here, upper - here)) continue;
      const Matrix tried = with_limited_rate(
          problem_.spec, (here + program.x).cwiseMax(lower).cwiseMin(upper).reshaped(nu, T),
          last_action(problem_.before, problem_.model.shape.action_at_rest));
      const double then = expected(tried);
      if (!(then < cost)) continue;
      gain = cost - then;
      cost = then;
      actions = tried;
      damping = std::max(damping / 64, 1e-9);
    }
    if (gain <= kEnough * std::abs(cost)) break;
  }
  return actions;
}

Plan plan_over_draws(const ModelPlanProblem& problem, int draws, const PlannerSettings& settings,
                     const std::vector<Matrix>& suggestions) {
  return plans_over_draws(problem, draws, settings, suggestions).front();
}

std::vector<Plan> plans_over_draws(const ModelPlanProblem& problem, int draws,
                                   const PlannerSettings& settings,
                                   const std::vector<Matrix>& suggestions) {
  constexpr int kOthers = 3, kSteps = 30;
  constexpr std::size_t kImproved = 2;
  constexpr double kAgreed = 5e-3;
  constexpr Index kMostActions = 600;  // of all steps; one of ours takes the cube of them
  const LiftedProblem lifted(problem);
  const Plan for_mean = plan_with_model(lifted, settings, suggestions);
  const bool usable =
      for_mean.status == PlanStatus::converged || for_mean.status == PlanStatus::stopped;
  if (draws == 0 || !usable || for_mean.actions.size() > kMostActions) return {for_mean};
  TaskOverDraws task(problem, draws, settings.seed);
  double least = task.expected(for_mean.actions);
  if (least - for_mean.objective <= kAgreed * std::abs(for_mean.objective)) return {for_mean};

  // The best for the mean is one of many local optima, and seldom the sturdiest.
  struct Begin {
    Matrix actions;
    double expected;
  };
  std::vector<Begin> begins{{for_mean.actions, least}};
  for (const Matrix& actions : suggestions) begins.push_back({actions, task.expected(actions)});
  PlannerSettings quick = settings;
  quick.hops = 0;
  for (int i = 1; i <= kOthers; ++i) {
    quick.seed = settings.seed + static_cast<std::uint64_t>(i);
    const Matrix actions = plan_with_model(lifted, quick).actions;
    begins.push_back({actions, task.expected(actions)});
  }
  std::stable_sort(begins.begin(), begins.end(),
                   [](const Begin& a, const Begin& b) { return a.expected < b.expected; });
  begins.resize(std::min(begins.size(), kImproved));

  std::vector<Plan> plans{for_mean};
  for (const Begin& begin : begins) {
    const Matrix actions = task.improved(begin.actions, kSteps);
    const double expected = task.expected(actions);
    if (!(expected < least)) continue;
    // What the limits forbid is no plan, however little it is expected to cost.
    Plan plan = lifted.along(actions);
    if (plan.status != PlanStatus::stopped) continue;
    if (problem.sigmas > 0 &&
        first_breach(forecast(problem.model, problem.before, plan.states, plan.actions),
                     problem.spec.limits, problem.sigmas))
      continue;
    least = expected;
    plan.iterations = for_mean.iterations;
    plans = {std::move(plan), for_mean};
  }
  return plans;
}

}  // namespace rhc
