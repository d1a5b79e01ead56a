// Carries a task out: estimates where the system is, corrects the plan by its gains, and plans the
// rest anew where that is worth it.
#pragma once

#include <optional>

#include "rhc/plan/control_model.h"

namespace rhc {

struct ControllerSettings {
  int replan = 1;       // every so many steps the rest is planned anew; 0: never
  int iterations = 30;  // of a search that begins with the rest of the plan
  // For tasks without end: plans stay as long as the first one. Otherwise they end where it does.
  bool receding = false;
};

class TaskController {
 public:
  // Begins with these actions; `model` must live until another is taken. `where`: the system at the
  // first measurement.
  TaskController(const ControlModel& model, StateEstimate where, const Matrix& actions,
                 ControllerSettings settings);

  // The action, by what is measured before it; one call for each step of the plan, or any number
  // with a receding horizon. The first measurement is taken to be part of what is known at the
  // start.
  Vector step(const Vector& measured);

  // From here on it goes by this model of the same system, such as one that has learned since.
  void go_by(const ControlModel& model) { model_ = &model; }

  const StateEstimate& where() const { return where_; }
  int replanned() const { return replanned_; }  // how often the plan was left

 private:
  void adopt(const PlanProblem& problem, const Matrix& controls);
  Matrix corrected(const PlanProblem& problem) const;
  void replan();

  const ControlModel* model_;
  const ControllerSettings settings_;
  StateEstimate where_;
  Matrix states_, controls_, gains_;  // of the plan, from `begin_` on
  Index begin_ = 0, t_ = 0;
  const Index horizon_;
  Vector last_control_;
  int replanned_ = 0;
  std::optional<HeldBounds> held_;  // by the last search that led to a plan
  Index held_at_ = 0;
};

}  // namespace rhc
