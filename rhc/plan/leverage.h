// How much a model does not know along a rollout: what all curious objectives are made of.
#pragma once

#include <vector>

#include "rhc/plan/planning_model.h"
#include "rhc/plan/rollout.h"

namespace rhc {

// Z = L^-1 Phi of a group of outputs, whose squared column norms are the variances phi' A^-1 phi
// over the noise. An affine feature counts as it is near the data and is bounded far from them: a
// plan must not run away because a straight line could still be turned there.
struct Leverage {
  Leverage(const PlanningModel& model, const PlanningDoubt& doubt, Index horizon);

  void evaluate(const Rollout& rollout);
  // slope += L^-T Y of the group's features.
  void add_slope(const Matrix& Y, Matrix& slope);
  // slope += M Y, with another matrix (lower triangular, transposed) in the place of L^-1.
  void add_slope(const Matrix& lower, const Matrix& Y, Matrix& slope);

  const PlanningModel& model;
  const PlanningDoubt& doubt;
  Matrix phi;       // of the group
  Matrix Z;         // M x T
  Vector variance;  // T
  Matrix weighted;  // memory for what an objective makes of Z

 private:
  Matrix bend_, part_;  // d (bounded) / d (affine), and a slope by the group's features
};

// Of all groups.
std::vector<Leverage> leverages(const PlanningModel& model, Index horizon);

}  // namespace rhc
