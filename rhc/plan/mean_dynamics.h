// The mean of a belief as dynamics, with first and second derivatives.
#pragma once

#include "rhc/plan/belief.h"
#include "rhc/plan/dynamics.h"

namespace rhc {

// Refers to the belief. Every thread needs one of its own.
class MeanDynamics final : public Dynamics {
 public:
  MeanDynamics(const Belief& belief, Index horizon);

  Index states() const override { return belief_.states(); }
  Index actions() const override { return belief_.actions(); }
  Index features() const override { return belief_.features(); }
  void step(Rollout& rollout, Index t) const override;
  void linearize(const Rollout& rollout, Matrix& F) const override;
  void add_curvature(const Rollout& rollout, const Matrix& multipliers, Matrix& feature_slope,
                     Matrix& H) const override;
  void add_slope(const Rollout& rollout, const Matrix& feature_slope, Matrix& g) const override;

 private:
  const Belief& belief_;
  Matrix first_;   // M x (nx n): W_j * Q_k, so that all Jacobians are one product with the cosines
  Matrix second_;  // M x n (n + 1) / 2: Q_k * Q_l, the same for all Hessians
  mutable Matrix block_, slope_;
  mutable Matrix multipliers_;     // before the projection
  mutable Vector along_, across_;  // rows of a Jacobian, along and across an angle's radius
};

}  // namespace rhc
