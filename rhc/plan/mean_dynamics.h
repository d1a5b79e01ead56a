// The mean of a model as dynamics, with first and second derivatives.
#pragma once

#include "rhc/plan/dynamics.h"
#include "rhc/plan/planning_model.h"

namespace rhc {

// Refers to the model. Every thread needs one of its own.
class MeanDynamics final : public Dynamics {
 public:
  MeanDynamics(const PlanningModel& model, Index horizon);

  // After the model's weights changed.
  void take_weights();

  Index states() const override { return model_.states(); }
  Index actions() const override { return model_.actions(); }
  Index features() const override { return model_.features(); }
  void step(Rollout& rollout, Index t) const override;
  void linearize(const Rollout& rollout, Matrix& F) const override;
  void add_curvature(const Rollout& rollout, const Matrix& multipliers, Matrix& feature_slope,
                     Matrix& H) const override;
  void add_slope(const Rollout& rollout, const Matrix& feature_slope, Matrix& g) const override;

 private:
  const Vector& action(const Rollout& rollout, Index t) const;
  // Of what is known, over x and u: outputs x n.
  const Matrix& known_jacobian(const Rollout& rollout, Index t) const;
  // Of a network's features, before what the states carry: nx x n.
  const Matrix& network_jacobian(const Rollout& rollout, Index t) const;

  // The derivative of all features' arguments at a step, where there are hidden layers.
  const Matrix& slopes_at(const Rollout& rollout, Index t) const;

  const PlanningModel& model_;
  Matrix first_;   // M x (nx n): W_j * Q_k, so that all Jacobians are one product with the cosines
  Matrix second_;  // M x n (n + 1) / 2: Q_k * Q_l, the same for all Hessians
  mutable Matrix block_, slope_;
  mutable LayersAt layers_;
  mutable Vector input_;
  mutable Matrix slopes_, scaled_, jacobian_;  // of a network at one step
  mutable Vector argument_slope_, reaching_;
  mutable KnownStep known_;  // and of what is known
  mutable Matrix of_known_, lifted_;
  mutable Vector action_;
  mutable Matrix multipliers_;     // before the projection
  mutable Vector along_, across_;  // rows of a Jacobian, along and across an angle's radius
};

}  // namespace rhc
