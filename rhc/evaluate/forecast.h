// What a belief expects of a whole trajectory, and how sure it is.
#pragma once

#include <vector>

#include "rhc/model/bayesian_linear_model.h"
#include "rhc/system/spec.h"

namespace rhc {

struct Forecast {
  Matrix mean;       // D x (T + 1)
  Matrix deviation;  // of each observation, free-running: the doubt of a step adds to the next's
  Matrix actions;    // k x T
};

// Around given states, such as a plan's. Angles are kept on their circles: what a belief makes of
// points that are on none means nothing, and soon outgrows what does. Where the belief needs a
// history, all is taken to have been still before, with `action_before`.
Forecast forecast(const BayesianLinearModel& model, const std::vector<AnglePair>& angles,
                  const Matrix& states, const Matrix& actions, const Vector& action_before);

// Along given actions: the states are those that the mean of the belief runs through.
Forecast forecast_from(const BayesianLinearModel& model, const std::vector<AnglePair>& angles,
                       const Vector& first, const Matrix& actions, const Vector& action_before);

// Row j + D k times a point's cosines is d mean_j / d input_k of the predicted difference, for so
// many of the inputs.
Matrix jacobian_rows(const BayesianLinearModel& model, Index inputs);

}  // namespace rhc
