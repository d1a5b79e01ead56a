// How much a model does not know along a rollout: what all curious objectives are made of.
#pragma once

#include "rhc/plan/planning_model.h"
#include "rhc/plan/rollout.h"

namespace rhc {

// Z = L^-1 Phi, whose squared column norms are the variances phi' A^-1 phi over the noise.
struct Leverage {
  Leverage(const PlanningModel& model, Index horizon);

  void evaluate(const Rollout& rollout);
  // slope += L^-T Y.
  void add_slope(const Matrix& Y, Matrix& slope) const;

  const PlanningModel& model;
  Matrix Z;         // M x T
  Vector variance;  // T
};

}  // namespace rhc
