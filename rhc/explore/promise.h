// What an episode promises to tell. It is compared with what it told, so it must be kept.
#pragma once

#include "rhc/explore/learned_limits.h"
#include "rhc/model/forecast.h"

namespace rhc {

// The steps that promise anything: until the forecast is more likely outside the learned limits
// than inside, or has lost itself.
Index promising_steps(const DynamicsModel& model, const Forecast& forecast,
                      const LearnedLimits& learned);

// Nats that these steps are expected to tell, after what was seen `before`.
double promised_information(const DynamicsModel& model, const Trajectory& before,
                            const Forecast& forecast, const LearnedLimits& learned);

}  // namespace rhc
