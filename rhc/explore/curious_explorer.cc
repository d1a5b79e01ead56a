#include "rhc/explore/curious_explorer.h"

#include <algorithm>
#include <utility>

#include "rhc/plan/plan_with_model.h"
#include "rhc/plan/signals.h"

namespace rhc {

namespace {

// The bounds of the actions while nothing is known: a share of them, around the actions at rest.
Box gentle(const SystemSpec& spec) {
  const double share = spec.safety.first;
  if (share == 1) return spec.action_bounds;
  const Vector rest = action_at_rest(spec);
  return {rest + share * (spec.action_bounds.lower - rest),
          rest + share * (spec.action_bounds.upper - rest)};
}

// With no data nothing can be planned: push hard one way and the other, long enough to move.
Matrix first_actions(const SystemSpec& spec, const CuriousSettings& settings, int episode) {
  const double hold = settings.first_hold * static_cast<double>(spec.horizon);
  const RandomStream randomness(settings.seed, "first actions",
                                static_cast<std::uint64_t>(episode));
  const Box bounds = gentle(spec);
  return with_limited_rate(spec, settings.first_hold > 0
                                     ? held_signal(bounds, spec.horizon, hold, randomness)
                                     : white_signal(bounds, spec.horizon, randomness));
}

// The last plan, a little earlier, is one more start.
std::vector<Matrix> moved_earlier(const Matrix& actions) {
  if (actions.size() == 0) return {};
  const Index T = actions.cols(), by = std::max<Index>(1, T / 10);
  Matrix earlier = actions;
  earlier.leftCols(T - by) = actions.rightCols(T - by);
  return {earlier};
}

}  // namespace

Decision decide_curiously(const SystemSpec& spec, const CuriousSettings& settings,
                          const Question& question, const Matrix& last_actions) {
  if (!question.model) return {.actions = first_actions(spec, settings, question.episode)};
  PlannerSettings planner = settings.planner;
  planner.seed =
      RandomStream(settings.seed, "plans", static_cast<std::uint64_t>(question.episode)).bits();
  planner.stop_requested = question.stop_requested;
  const Plan plan = plan_with_model(
      {.model = *question.model,
       .spec = spec,
       .start = question.start,
       .limits = planning_limits(spec, question.start, settings.stay_inside, settings.limit_margin),
       .objective = curious_objective(
           settings.objective, time_weights(settings.weights, settings.discount, spec.horizon)),
       .sigmas = question.sigmas},
      planner,
      planner.signals == StartSignals::mixed ? moved_earlier(last_actions) : std::vector<Matrix>{});
  return {.actions = plan.actions, .plan = plan};
}

CuriousExplorer::CuriousExplorer(SystemSpec spec, CuriousSettings settings)
    : spec_(std::move(spec)), settings_(std::move(settings)) {}

Decision CuriousExplorer::decide(const Question& question) {
  return decide_curiously(spec_, settings_, question, last_actions_);
}

void CuriousExplorer::learn(const Matrix& decided, const Trajectory&) {
  if (decided.size() > 0) last_actions_ = decided;
}

void CuriousExplorer::save(NamedValues& values) const {
  values.put("explorer/actions", last_actions_);
}

void CuriousExplorer::restore(const NamedValues& values) {
  if (!values.has("explorer/actions")) return;
  if (values.matrix("explorer/actions", -1, -1).size() > 0)
    last_actions_ = values.matrix("explorer/actions", spec_.action_bounds.size(), spec_.horizon);
  else
    last_actions_.resize(0, 0);
}

}  // namespace rhc
