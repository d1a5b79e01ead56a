#include "rhc/plan/margin.h"

#include <cmath>

namespace rhc {

std::optional<Breach> first_breach(const Forecast& forecast, const Box& limits, double sigmas) {
  for (Index t = 1; t < forecast.mean.cols(); ++t)
    for (Index i = 0; i < limits.size(); ++i) {
      const double reach = sigmas * forecast.deviation(i, t), mean = forecast.mean(i, t);
      if (!(mean + reach <= limits.upper[i])) return Breach{t, i, mean + reach};
      if (!(mean - reach >= limits.lower[i])) return Breach{t, i, mean - reach};
    }
  return std::nullopt;
}

Matrix margin_of(const Forecast& forecast, const Box& limits, double sigmas) {
  // More than this share of a limit's range leaves no room.
  constexpr double kLargestMargin = 0.45;
  Matrix margin = sigmas * forecast.deviation.rightCols(forecast.actions.cols());
  for (Index i = 0; i < margin.rows(); ++i) {
    const double range = limits.upper[i] - limits.lower[i];
    if (std::isfinite(range)) margin.row(i) = margin.row(i).cwiseMin(kLargestMargin * range);
  }
  return margin;
}

}  // namespace rhc
