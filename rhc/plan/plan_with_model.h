// Plans over a belief that a machine can carry out: inside its limits, by a margin where one is
// asked for, and with actions that change no faster than they may.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "rhc/plan/layout.h"
#include "rhc/plan/planner.h"

namespace rhc {

struct ModelPlanProblem {
  const BayesianLinearModel& model;
  const SystemSpec& spec;
  std::vector<AnglePair> angles;  // that are kept on their circles
  Vector start;                   // observation
  Box limits;                     // of the observations
  std::function<std::unique_ptr<Objective>(const Belief&, const Layout&)> objective;
  Matrix margin{};  // D x T, by which observations 1 to T stay inside; empty: none
};

Layout layout_of(const SystemSpec& spec);

// The nearest that changes no faster than the spec allows, from the actions before the experiment.
Matrix with_limited_rate(const SystemSpec& spec, Matrix actions);

// What these actions are worth, and where the mean of the belief goes with them.
Plan follow_with_model(const ModelPlanProblem& problem, const Matrix& actions);

// The plan's states are observations, its actions those of the system; so are the suggestions.
Plan plan_with_model(const ModelPlanProblem& problem, const PlannerSettings& settings,
                     const std::vector<Matrix>& suggestions = {});

}  // namespace rhc
