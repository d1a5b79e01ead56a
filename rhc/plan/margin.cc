#include "rhc/plan/margin.h"

#include <algorithm>
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

double farthest_breach(const Forecast& forecast, const Box& limits, double sigmas) {
  double farthest = 0;
  for (Index t = 1; t < forecast.mean.cols(); ++t)
    for (Index i = 0; i < limits.size(); ++i) {
      const double width = limits.upper[i] - limits.lower[i];
      const double range = std::isfinite(width) ? width : 1;
      const double reach = sigmas * forecast.deviation(i, t), mean = forecast.mean(i, t);
      const double outside =
          std::max(mean + reach - limits.upper[i], limits.lower[i] - (mean - reach)) / range;
      farthest = std::isnan(outside) ? kInfinity : std::max(farthest, outside);
    }
  return farthest;
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
