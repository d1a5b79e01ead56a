// How near a forecast comes to a system's limits, in deviations.
#pragma once

#include <optional>

#include "rhc/model/forecast.h"

namespace rhc {

// Where a forecast first comes nearer to a limit than so many deviations.
struct Breach {
  Index step, observation;
  double value;  // the envelope's end there
};

// The first, or nothing where the forecast stays inside. The start is not looked at.
std::optional<Breach> first_breach(const Forecast& forecast, const Box& limits, double sigmas);

// How far a forecast may lead outside at worst, as a share of a limit's range, or in its units
// where that is open; 0 inside.
double farthest_breach(const Forecast& forecast, const Box& limits, double sigmas);

// The margin (D x T) to the limits that so many deviations ask for, no larger than leaves room to
// plan in.
Matrix margin_of(const Forecast& forecast, const Box& limits, double sigmas);

}  // namespace rhc
