// What a model expects to see, and how sure of it it is.
#pragma once

#include <vector>

#include "rhc/model/dynamics_model.h"

namespace rhc {

struct Forecast {
  Matrix mean;       // D x (T + 1): the middle of the band
  Matrix deviation;  // of what is measured, free-running: a 95 % band is 1.96 of it to either side
  Matrix actions;    // k x T
};

// Systems that are held possible, drawn from the posterior, are set going side by side. Each has
// its own weights at all steps, so that what the model has wrong of them adds up; the noise of each
// step is its own. Angles are kept on their circles.

// Around given states, such as a plan's: how far possible systems run from them.
Forecast forecast(const DynamicsModel& model, const Matrix& states, const Matrix& actions);
// The same after what was seen `before`, whose last observation is the first of the states.
Forecast forecast(const DynamicsModel& model, const Trajectory& before, const Matrix& states,
                  const Matrix& actions);

// Along given actions, what is to be expected: the middle of the possible systems. Where the model
// knows little, its mean runs further away than most of them. It begins with the last observation
// of what was seen `before`; where that is too short for the model's history, all was at rest.
Forecast forecast_from(const DynamicsModel& model, const Trajectory& before, const Matrix& actions);
Forecast forecast_from(const DynamicsModel& model, const Vector& first, const Matrix& actions);

// The same from many places, for as many steps from each, with one draw of possible systems for all
// of them, and noise of their own for each.
struct ForecastStart {
  Trajectory before;
  Matrix actions;
};
std::vector<Forecast> forecasts_from(const DynamicsModel& model,
                                     const std::vector<ForecastStart>& starts, int threads);

// The steps after which a forecast has lost itself: where the band of an observation reaches to
// either side as far as the known region is wide, most of it is where nothing is known. All of them
// where the model's reach is not known.
Index steps_before_lost(const Forecast& forecast, const Box& reach);

// For each observation, how far what was seen reached in announced deviations, over what was to be
// expected: 1 where 95 of 100 steps are inside the 95 % band. Empty where nothing was seen.
Vector relative_reach(const Forecast& announced, const Trajectory& seen);

}  // namespace rhc
