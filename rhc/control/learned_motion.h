// A system's motion as a controller goes by it: the mean of a model and constant disturbances, all
// of which may change while it runs, in place.
#pragma once

#include <vector>

#include "rhc/model/online_regression.h"
#include "rhc/plan/layout.h"
#include "rhc/plan/mean_dynamics.h"

namespace rhc {

// An angle that is disturbed, and by which direction.
struct TurnedAngle {
  AnglePair angle;
  Index direction;
};

class LearnedMotion {
 public:
  LearnedMotion(const DynamicsModel& model, const SystemSpec& spec, Index horizon,
                bool remove_offset);
  LearnedMotion(const LearnedMotion&) = delete;  // the dynamics refer to the model
  LearnedMotion& operator=(const LearnedMotion&) = delete;

  const Layout layout;
  PlanningModel planned;
  MeanDynamics dynamics;
  OnlineRegression online;

  // Disturbances: one is added to every action, one to the change of every observation, and one to
  // that of every angle, but for those whose motion is known. None where no offset is to be
  // removed.
  Index disturbances() const { return acts_ + directions_.cols(); }
  Index disturbed_actions() const { return acts_; }
  // By how much each of the others moves each observation.
  const Matrix& directions() const { return directions_; }
  // An angle's disturbance turns it: where it comes to rest, what is constant there is one of its
  // cosine and sine.
  void rests_at(const Eigen::Ref<const Vector>& observation);
  const Vector sensor_variance, process_variance;

  // Of the actions, then of the changes.
  void set_disturbance(const Eigen::Ref<const Vector>& disturbance);
  const Vector& on_actions() const { return on_actions_; }
  const Vector& on_changes() const { return on_changes_; }
  // How the next state changes with them, nx x disturbances, where F is its derivative by state and
  // control.
  void slope_of_disturbance(const Matrix& F, Eigen::Ref<Matrix> slope) const;

  // One step from `at.states.col(0)` with `at.actions.col(0)`, and what is doubted of it.
  void step(Rollout& at) const { dynamics.step(at, 0); }
  void doubt(const Rollout& at, Eigen::Ref<Vector> variance);
  Rollout one_step() const;

  // Whether the transition after the step `at`, whose features are known, would tell the weights
  // anything of an output: whether they are in doubt there by a share of its noise.
  bool tells(const Rollout& at);

  // From the change that followed the step `at`, whose features are known. The actions are taken
  // to have arrived with their disturbance. That of the changes gives up what the weights take over
  // there, so that both together predict as before.
  void learn(const Rollout& at, const Eigen::Ref<const Vector>& after, Eigen::Ref<Vector> given_up);

 private:
  void find_directions(const DynamicsModel& model);

  const Index acts_;
  std::vector<TurnedAngle> turned_;
  Matrix directions_;
  Vector disturbance_;
  const Vector noise_variance_, offset_, phase_, first_phase_;  // of the model alone
  Matrix shift_, first_shift_;  // of the phases, by each action's disturbance
  Vector on_actions_, on_changes_, left_, before_, after_;
  std::vector<Matrix> draws_;  // weights less their mean, in the units of the observations
  bool learned_ = false;
};

}  // namespace rhc
