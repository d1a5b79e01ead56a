#include "rhc/explore/curious_explorer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/explore/trouble.h"
#include "rhc/plan/margin.h"
#include "rhc/plan/plan_with_model.h"
#include "rhc/plan/replan.h"
#include "rhc/plan/signals.h"

namespace rhc {

namespace {

// With no data nothing can be planned: push this way and that, weakly and hard, long enough to
// move; more gently where that has led outside the limits before. `again`: the levels are others.
Matrix first_actions(const SystemSpec& spec, const CuriousSettings& settings, int episode,
                     int left_limits, const Vector& action_before, bool again) {
  const double hold = settings.first_hold * static_cast<double>(spec.horizon);
  const RandomStream randomness(settings.seed, "first actions",
                                static_cast<std::uint64_t>(episode));
  const Box bounds = gentle_bounds(spec, std::pow(0.5, left_limits));
  return with_limited_rate(
      spec,
      settings.first_hold == 0 ? white_signal(bounds, spec.horizon, randomness)
      : settings.first_levels > 1
          ? levels_signal(bounds, spec.horizon, hold, settings.first_levels, randomness, again)
          : held_signal(bounds, spec.horizon, hold, randomness),
      action_before);
}

// The last plan, a little earlier, is one more start.
std::vector<Matrix> moved_earlier(const Matrix& actions) {
  if (actions.size() == 0) return {};
  const Index T = actions.cols(), by = std::max<Index>(1, T / 10);
  Matrix earlier = actions;
  earlier.leftCols(T - by) = actions.rightCols(T - by);
  return {earlier};
}

// A stream of its own for every search of an episode.
std::uint64_t plan_seed(const CuriousSettings& settings, const Question& question) {
  const auto episode = static_cast<std::uint64_t>(question.episode);
  if (question.rest.size() == 0) return RandomStream(settings.seed, "plans", episode).bits();
  const std::uint64_t of_episode = RandomStream(settings.seed, "replans", episode).bits();
  return RandomStream(of_episode, "step", static_cast<std::uint64_t>(question.before.steps()))
      .bits();
}

// Where nothing else holds a plan, what is known does, and half as much to either side of it:
// farther out features tell of themselves, not of the system. Angles have circles of their own.
Box near_the_known(Box limits, const DynamicsModel& model, const Vector& now) {
  if (model.reach.size() == 0) return limits;
  const Box known = known_region(model.reach);
  const Vector room = 0.5 * known.width();
  std::vector<bool> free(static_cast<std::size_t>(limits.size()), true);
  for (const AnglePair& angle : model.shape.angles)
    free[static_cast<std::size_t>(angle.cosine)] = free[static_cast<std::size_t>(angle.sine)] =
        false;
  for (Index i = 0; i < limits.size(); ++i) {
    if (!free[static_cast<std::size_t>(i)]) continue;
    if (std::isinf(limits.lower[i])) limits.lower[i] = std::min(known.lower[i] - room[i], now[i]);
    if (std::isinf(limits.upper[i])) limits.upper[i] = std::max(known.upper[i] + room[i], now[i]);
  }
  return limits;
}

}  // namespace

Decision decide_curiously(const SystemSpec& spec, const CuriousSettings& settings,
                          const Question& question, const CuriousMemory& memory) {
  const auto first = [&] {
    return first_actions(spec, settings, question.episode, memory.left_limits,
                         last_action(question.before, action_at_rest(spec)),
                         question.model != nullptr);
  };
  if (!question.model) return {.actions = first()};
  PlannerSettings planner = settings.planner;
  planner.seed = plan_seed(settings, question);
  planner.stop_requested = question.stop_requested;
  const Vector now = question.before.observations.rightCols(1);
  SystemSpec inside = spec;
  Box limits = planning_limits(spec, now, settings.stay_inside, settings.limit_margin);
  if (settings.stay_inside) {
    inside.limits = narrowed(spec.limits, question.learned, now, 0);
    limits = near_the_known(narrowed(limits, question.learned, now, settings.limit_margin),
                            *question.model, now);
  }
  const bool under_way = question.rest.size() > 0;
  const Index left = under_way ? question.rest.cols() : spec.horizon;
  const ModelPlanProblem problem{
      .model = *question.model,
      .spec = inside,
      .before = question.before,
      .horizon = left,
      .limits = limits,
      .objective = curious_objective(
          settings.objective,
          time_weights(settings.weights, settings.discount, spec.horizon).tail(left)),
      .sigmas = question.sigmas};
  const bool mixed = planner.signals == StartSignals::mixed;
  if (under_way) planner.starts = settings.replan_starts;
  Plan plan = under_way ? replan_with_model(problem, planner, question.rest)
                        : plan_with_model(
                              problem, planner,
                              mixed ? moved_earlier(memory.last_actions) : std::vector<Matrix>{});
  // A model that is too vague to keep a margin even at rest learns nothing by resting. What was
  // allowed when nothing was known is allowed still: from rest, not in the middle of a plan that
  // promised more.
  // The same where what is announced of the plan, by all that is held possible, comes too near.
  const auto too_vague = [&] {
    if (!plan_trouble(name(plan.status), plan.actions, spec).empty()) return true;
    if (under_way) return false;
    const Forecast announced = forecast_from(*question.model, question.before, plan.actions);
    return first_breach(announced, spec.limits, question.sigmas).has_value();
  };
  if (question.sigmas > 0 && (!under_way || question.repeated) && too_vague()) {
    plan = follow_with_model(problem, under_way ? question.rest : first());
    plan.status = PlanStatus::repeated;
  }
  return {.actions = plan.actions, .plan = plan};
}

CuriousExplorer::CuriousExplorer(SystemSpec spec, CuriousSettings settings)
    : spec_(std::move(spec)), settings_(std::move(settings)) {}

Decision CuriousExplorer::decide(const Question& question) {
  return decide_curiously(spec_, settings_, question, memory_);
}

void CuriousExplorer::learn(const Matrix& decided, const Trajectory& seen) {
  if (decided.size() > 0) memory_.last_actions = decided;
  if (seen.steps() > 0 && !spec_.limits.contains(seen.observations.col(seen.steps())))
    ++memory_.left_limits;
}

void CuriousExplorer::save(NamedValues& values) const {
  values.put("explorer/actions", memory_.last_actions);
  if (memory_.left_limits > 0)
    values.put("explorer/left_limits", static_cast<Index>(memory_.left_limits));
}

void CuriousExplorer::restore(const NamedValues& values) {
  memory_ = {};
  if (values.has("explorer/left_limits"))
    memory_.left_limits = static_cast<int>(values.count("explorer/left_limits"));
  if (values.has("explorer/actions") && values.matrix("explorer/actions", -1, -1).size() > 0)
    memory_.last_actions =
        values.matrix("explorer/actions", spec_.action_bounds.size(), spec_.horizon);
}

}  // namespace rhc
