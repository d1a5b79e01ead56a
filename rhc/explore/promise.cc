#include "rhc/explore/promise.h"

#include <algorithm>

namespace rhc {

Index promising_steps(const DynamicsModel& model, const Forecast& forecast,
                      const LearnedLimits& learned) {
  // The first step begins at what was measured.
  return std::min(steps_before_end(forecast, learned),
                  std::max<Index>(1, steps_before_lost(forecast, model.reach)));
}

double promised_information(const DynamicsModel& model, const Trajectory& before,
                            const Forecast& forecast, const LearnedLimits& learned) {
  const Index steps = promising_steps(model, forecast, learned);
  return model.information(before, forecast.mean.leftCols(steps + 1),
                           forecast.actions.leftCols(steps));
}

}  // namespace rhc
