// Where a system is and what disturbs it, by all that was measured: an extended Kalman filter over
// the states of a plan and constant disturbances.
#pragma once

#include "rhc/control/control_step.h"
#include "rhc/control/learned_motion.h"
#include "rhc/plan/kalman.h"

namespace rhc {

struct ObserverSettings {
  double disturbance_steps = 100;
  double gate = 20;
  int believe_after = 3;
};

class Observer {
 public:
  // `half_range`: of each action.
  Observer(LearnedMotion& motion, const Vector& half_range, ObserverSettings settings);

  // In this state of the plan's layout, which was measured.
  void start(const Eigen::Ref<const Vector>& state);

  // One step with this control. What a model is wrong by depends on where the system is: only
  // where it comes to rest is that a constant disturbance, and on the way there it is forgotten.
  void predict(const Eigen::Ref<const Vector>& control, bool comes_to_rest);

  // Null: nothing came. Until the next measurement the estimate is the prediction.
  MeasuredAs measure(const Vector* measured);

  // The disturbances give up so much of each change.
  void give_up(const Eigen::Ref<const Vector>& changes);

  auto state() const { return mean_.head(nx_); }
  bool finite() const;

  // Of the last measurement; the estimate's deviation is that of the present observations.
  const Vector& expected() const { return expected_; }
  const Vector& expected_deviation() const { return expected_deviation_; }
  const Vector& innovation() const { return innovation_; }
  double surprise() const { return surprise_; }
  double deviation(Index i) const;
  int in_a_row() const { return in_a_row_; }

 private:
  void expect();
  void begin_anew(const Vector& measured);
  void hand_on();

  LearnedMotion& motion_;
  const ObserverSettings settings_;
  const Index nx_, nd_;
  Vector mean_;  // (x, d)
  Matrix covariance_;
  Vector wander_, most_;  // variances of the disturbance: of a step, and the largest
  Matrix H_, F_, Fx_;
  Vector step_variance_;
  KalmanWorkspace workspace_;
  Rollout at_;
  Vector expected_, expected_deviation_, innovation_;
  double surprise_ = 0;
  int in_a_row_ = 0, absurd_in_a_row_ = 0;
};

}  // namespace rhc
