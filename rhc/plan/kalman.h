// The formulas of an extended Kalman filter, on memory that is made once. Those of control_model.cc
// allocate, and keep the bytes of recorded runs.
#pragma once

#include <Eigen/Cholesky>

#include "rhc/core/types.h"

namespace rhc {

struct KalmanWorkspace {
  KalmanWorkspace(Index states, Index measured);

  Matrix S;                   // of the innovation
  Matrix HP, solved, gain;    // measured x states, twice, and states x measured
  Matrix spread, taken, sum;  // states x states
  Vector move;
  Eigen::LLT<Matrix> factor;
};

// The covariance after a step whose derivative is F.
void spread_covariance(const ConstMatrixRef& F, const Eigen::Ref<const Vector>& step_variance,
                       Matrix& covariance, KalmanWorkspace& workspace);

// The covariance of the innovation, and its factor.
void expect_innovation(const Matrix& H, const Vector& sensor_variance, const Matrix& covariance,
                       KalmanWorkspace& workspace);

// After `expect_innovation`: takes the innovation in.
void take_innovation(const Matrix& H, const Vector& innovation, Vector& mean, Matrix& covariance,
                     KalmanWorkspace& workspace);

}  // namespace rhc
