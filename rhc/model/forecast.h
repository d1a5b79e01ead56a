// What a model expects of a whole trajectory, and how sure it is.
#pragma once

#include "rhc/model/dynamics_model.h"

namespace rhc {

struct Forecast {
  Matrix mean;       // D x (T + 1)
  Matrix deviation;  // of each observation, free-running: the doubt of a step adds to the next's
  Matrix actions;    // k x T
};

// Around given states, such as a plan's. Angles are kept on their circles: what a model makes of
// points that are on none means nothing, and soon outgrows what does.
Forecast forecast(const DynamicsModel& model, const Matrix& states, const Matrix& actions);

// Along given actions: the states are those that the mean of the model runs through.
Forecast forecast_from(const DynamicsModel& model, const Vector& first, const Matrix& actions);

// Row j + D k times a point's cosines is d mean_j / d input_k of the predicted difference, for so
// many of the inputs.
Matrix jacobian_rows(const BayesianLinearModel& model, Index inputs);

}  // namespace rhc
