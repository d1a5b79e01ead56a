#include "rhc/explore/curious_explorer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/evaluate/plan_safely.h"
#include "rhc/plan/signals.h"

namespace rhc {

Box limits_with_margin(const SystemSpec& spec, const Vector& start, double margin) {
  Box bounds = spec.limits;
  for (Index i = 0; i < bounds.size(); ++i) {
    const double range = bounds.upper[i] - bounds.lower[i];
    if (!std::isfinite(range)) continue;
    bounds.lower[i] = std::min(bounds.lower[i] + margin * range, start[i]);
    bounds.upper[i] = std::max(bounds.upper[i] - margin * range, start[i]);
  }
  return bounds;
}

namespace {

// The bounds of the actions while nothing is known: a share of them, around the actions at rest.
Box gentle(const SystemSpec& spec) {
  const double share = spec.safety.first;
  if (share == 1) return spec.action_bounds;
  const Vector rest = action_at_rest(spec);
  return {rest + share * (spec.action_bounds.lower - rest),
          rest + share * (spec.action_bounds.upper - rest)};
}

}  // namespace

Kept kept_inside(const SystemSpec& spec, const Vector& start, bool stay_inside, double margin) {
  if (!stay_inside) return {Box::unbounded(start.size()), {}};
  return {limits_with_margin(spec, start, margin), spec.angles};
}

CuriousExplorer::CuriousExplorer(const System& system, CuriousSettings settings)
    : spec_(system.spec()),
      settings_(std::move(settings)),
      start_(system.observe(spec_.start)),
      kept_(kept_inside(spec_, start_, settings_.stay_inside, settings_.limit_margin)) {}

void CuriousExplorer::start_from(const Vector& observation) {
  start_ = observation;
  kept_ = kept_inside(spec_, start_, settings_.stay_inside, settings_.limit_margin);
}

void CuriousExplorer::begin_episode(int episode, const BayesianLinearModel* belief) {
  const auto index = static_cast<std::uint64_t>(episode);
  if (!belief) {
    // With no data nothing can be planned: push hard one way and the other, long enough to move.
    plan_.reset();
    const double hold = settings_.first_hold * static_cast<double>(spec_.horizon);
    const RandomStream randomness(settings_.seed, "first actions", index);
    const Box bounds = gentle(spec_);
    actions_ = settings_.first_hold > 0 ? held_signal(bounds, spec_.horizon, hold, randomness)
                                        : white_signal(bounds, spec_.horizon, randomness);
    actions_ = with_limited_rate(spec_, actions_);
    return;
  }

  SystemSpec spec = spec_;
  spec.safety.sigmas = sigmas.value_or(spec.safety.sigmas);
  const Vector weights = time_weights(settings_.weights, settings_.discount, spec_.horizon);
  ModelPlanProblem problem{.model = *belief,
                           .spec = spec,
                           .angles = kept_.angles,
                           .start = start_,
                           .limits = kept_.states,
                           .objective = [&](const Belief& planned, const Layout&) {
                             return make_curious_objective(settings_.objective, planned, weights);
                           }};
  settings_.planner.seed = RandomStream(settings_.seed, "plans", index).bits();
  settings_.planner.stop_requested = stop_requested;

  // The last plan, a little earlier, is one more start.
  std::vector<Matrix> suggestions;
  if (settings_.planner.signals == StartSignals::mixed && actions_.size() > 0) {
    const Index T = actions_.cols(), by = std::max<Index>(1, T / 10);
    suggestions.push_back(actions_);
    suggestions[0].leftCols(T - by) = actions_.rightCols(T - by);
  }
  plan_ = plan_safely(problem, settings_.planner, suggestions);
  actions_ = plan_->actions;
}

Vector CuriousExplorer::act(const Vector&, int step) { return actions_.col(step); }

void CuriousExplorer::end_episode(const Trajectory&) {}

// The last plan is where the next search begins.
void CuriousExplorer::save(Archive& archive) const { archive.put("explorer/actions", actions_); }

void CuriousExplorer::restore(const Archive& archive) {
  if (!archive.has("explorer/actions")) return;
  if (archive.matrix("explorer/actions", -1, -1).size() > 0)
    actions_ = archive.matrix("explorer/actions", spec_.action_bounds.size(), spec_.horizon);
  else
    actions_.resize(0, 0);
}

}  // namespace rhc
