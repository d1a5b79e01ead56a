// A system's motion as a controller goes by it: the mean of a model and a constant disturbance,
// both of which may change while it runs, in place.
#pragma once

#include <vector>

#include "rhc/model/online_regression.h"
#include "rhc/plan/layout.h"
#include "rhc/plan/mean_dynamics.h"

namespace rhc {

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

  // The observations whose change may be disturbed: all but those whose motion is known.
  std::vector<Index> disturbed;
  // Deviation of a step's change by the noise, of each observation.
  const Vector noise;
  const Vector sensor_variance, process_variance;

  // What is added to each predicted change.
  void set_disturbance(const Eigen::Ref<const Vector>& disturbance);
  const Vector& disturbance() const { return disturbance_; }

  // One step from `at.states.col(0)` with `at.actions.col(0)`, and what is doubted of it.
  void step(Rollout& at) const { dynamics.step(at, 0); }
  void doubt(const Rollout& at, Eigen::Ref<Vector> variance);
  Rollout one_step() const;

  // From the change that followed the step `at`, whose features are known. The disturbance gives
  // up what the weights take over there, so that both together predict as before.
  void learn(const Rollout& at, const Eigen::Ref<const Vector>& after, Eigen::Ref<Vector> given_up);

 private:
  const Vector offset_;  // of the model alone
  Vector disturbance_, left_, before_, after_;
  std::vector<Matrix> draws_;  // weights less their mean, in the units of the observations
  bool learned_ = false;
};

}  // namespace rhc
