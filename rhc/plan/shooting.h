// Direct multiple shooting from one start: states and actions are variables, the gaps between the
// pieces are closed while the cost falls, and a backward Riccati pass solves every step in O(T).
#pragma once

#include "rhc/plan/dynamics.h"
#include "rhc/plan/objective.h"
#include "rhc/plan/state_bounds.h"

namespace rhc {

struct ShootingSettings {
  double tolerance = 1e-4;         // of the cost, by which three steps in a row must lower it
  double defect_tolerance = 1e-9;  // largest gap of a plan that counts as closed
  double bound_tolerance = 1e-6;   // of a state's range
  int most_bound_updates = 30;
};

enum class ShootingStatus {
  running,     // more iterations may help
  converged,   // no step lowers the cost
  stalled,     // no step is found any more
  infeasible,  // the state bounds were not reached
  not_finite,  // the dynamics or the objective left the numbers
};

// The multipliers and the penalty of a search, and the scale of its cost.
struct HeldBounds {
  StateBounds bounds;
  double scale;
};

// Memory and state of one start; made once, used for many.
class Shooting {
 public:
  Shooting(const Dynamics& dynamics, Objective& objective, const Box& action_bounds,
           const Box& state_bounds, Index horizon, const Matrix& margin = {});

  // Starts with closed gaps, by following the actions from the first state ...
  void begin(const Eigen::Ref<const Vector>& first_state, const Matrix& actions);
  // ... or with guesses of all states, and the gaps they have.
  void begin_open(const Matrix& states, const Matrix& actions);

  // What holds the state bounds; and after `begin`: they are held as in a search for a plan that
  // began so many steps earlier.
  HeldBounds held() const { return {bounds_, scale_}; }
  void keep_held(HeldBounds& held) const {  // without allocating
    held.bounds = bounds_;
    held.scale = scale_;
  }
  void go_on_from(const HeldBounds& earlier, Index steps);

  // Up to so many steps; false where more are of no use.
  bool iterate(int steps, const ShootingSettings& settings);

  const Rollout& rollout() const { return here_; }
  double cost() const { return cost_; }  // of the objective alone
  double violation() const { return bounds_.violation(here_); }
  ShootingStatus status() const { return status_; }
  int iterations() const { return iterations_; }

 private:
  void start();
  double merit(const Rollout& rollout, double cost) const;
  void expand();
  double predicted_change();
  bool try_step(double length, double predicted);
  void keep_scale();
  void finish_inner(const ShootingSettings& settings);

  const Dynamics& dynamics_;
  Objective& objective_;
  const Box action_bounds_;
  StateBounds bounds_;

  Rollout here_, there_;
  lq::Problem stages_;
  lq::Riccati riccati_;
  lq::Policy policy_;
  Matrix feature_slope_, multipliers_;  // M x T, nx x T
  Matrix gaps_, linear_states_, linear_actions_;
  double scale_ = 1;  // times the cost gives about 1
  double cost_ = 0, merit_ = 0, gap_weight_ = 0;
  double curvature_ = 0;              // of the last pass
  double damping_ = 0;                // added to the curvature, relative to it
  bool expanded_ = false;             // stages_ belong to here_
  bool evaluated_elsewhere_ = false;  // the objective must be evaluated anew before it expands
  int small_steps_ = 0, iterations_ = 0, bound_updates_ = 0;
  ShootingStatus status_ = ShootingStatus::running;
};

}  // namespace rhc
