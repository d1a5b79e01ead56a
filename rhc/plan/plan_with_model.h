// Plans with a model that a machine can carry out: inside its limits, by a margin where one is
// asked for, and with actions that change no faster than they may.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rhc/model/dynamics_model.h"
#include "rhc/plan/layout.h"
#include "rhc/plan/planner.h"
#include "rhc/system/spec.h"

namespace rhc {

// An objective over what the states of a plan hold.
using ModelObjective =
    std::function<std::unique_ptr<Objective>(const PlanningModel&, const Layout&)>;
ModelObjective curious_objective(std::string name, Vector time_weights);
ModelObjective task_objective(TaskCost task);

struct ModelPlanProblem {
  const DynamicsModel& model;
  const SystemSpec& spec;
  Trajectory before;  // what was seen and done until the plan begins; before that all was at rest
  Index horizon;      // steps from there on
  Box limits;         // of the observations
  ModelObjective objective;
  double sigmas = 0;  // deviations by which the forecast stays inside the system's limits
};

// Where plans of a task are kept: inside the limits, or anywhere.
Box task_limits(const SystemSpec& spec, bool stay_inside);

// Where curious plans are kept: inside the limits less a share of their range, never without the
// start, or anywhere. A plan that brushes a limit would in truth leave it, and end early.
Box planning_limits(const SystemSpec& spec, const Vector& start, bool stay_inside, double margin);

// The nearest that changes no faster than the spec allows, from the action before.
Matrix with_limited_rate(const SystemSpec& spec, Matrix actions, Vector before);

// Of the controls and states of a layout. What is kept of the observations is nothing to those
// remembered; the actions that changes add up to have bounds, too.
Box bounds_of_changes(const SystemSpec& spec);
Box bounds_of_controls(const Layout& layout, const SystemSpec& spec);
Box bounds_of_states(const Layout& layout, const SystemSpec& spec, const Box& limits);

// By which each action differs from the one before.
Matrix changes_of(const Matrix& actions, const Vector& before);

// The problem over the states of its layout. Making it inverts the factors of the model, so who
// plans or follows more than once makes it once.
struct LiftedProblem {
  explicit LiftedProblem(const ModelPlanProblem& wanted);  // is referred to
  LiftedProblem(const LiftedProblem&) = delete;

  // `margin`: D x T, by which observations 1 to T stay inside; empty: none.
  PlanProblem with_margin(const Matrix& margin) const;

  // The actions that a machine can carry out instead of these, and the controls that lead to them.
  Matrix possible(const Matrix& actions) const;
  Matrix controls(const Matrix& actions) const;

  // What these actions are worth, and where the mean of the model goes with them.
  Plan along(const Matrix& actions, const Matrix& margin = {},
             const ShootingSettings& settings = {}) const;

  const ModelPlanProblem& wanted;
  const Vector action_before;
  const Layout layout;
  const PlanningModel model;
  const PlanProblem problem;
};

// What these actions are worth, and where the mean of the model goes with them.
Plan follow_with_model(const ModelPlanProblem& problem, const Matrix& actions);

// The best plan that is found. Its states are observations, its actions those of the system; so are
// the suggestions. With `sigmas`, the plan is made again with the margin that its own forecast asks
// for, and where that leads nowhere with ever smaller actions (status shrunk). One that is not
// inside even at rest has the status infeasible.
Plan plan_with_model(const ModelPlanProblem& problem, const PlannerSettings& settings,
                     std::vector<Matrix> suggestions = {});
Plan plan_with_model(const LiftedProblem& problem, const PlannerSettings& settings,
                     std::vector<Matrix> suggestions = {});

}  // namespace rhc
