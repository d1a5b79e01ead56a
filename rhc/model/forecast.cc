#include "rhc/model/forecast.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rhc/model/circle.h"
#include "rhc/model/possible_systems.h"

namespace rhc {

namespace {

constexpr Index kDraws = 200;
constexpr double kReach = 1.959964;

// The distance that 95 of 100 keep, over that of a standard normal number. Unlike a standard
// deviation it says where the band ends also where a few run far away.
double deviation_of(std::vector<double>& distances) {
  const double place = 0.95 * static_cast<double>(distances.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  std::nth_element(distances.begin(), distances.begin() + below, distances.end());
  const double lower = distances[static_cast<std::size_t>(below)];
  const double upper = *std::min_element(distances.begin() + below + 1, distances.end());
  return (lower + (place - static_cast<double>(below)) * (upper - lower)) / kReach;
}

}  // namespace

Forecast forecast(const DynamicsModel& model, const Matrix& states, const Matrix& actions) {
  const Index D = states.rows(), T = actions.cols();
  Forecast result{states, Matrix::Zero(D, T + 1), actions};
  if (T == 0) return result;
  PossibleSystems possible(model, states.col(0), kDraws, RandomStream(0, "forecast"));
  std::vector<double> distances(static_cast<std::size_t>(possible.count()));
  for (Index t = 0; t < T; ++t) {
    possible.step(actions.col(t));
    const Matrix measured = possible.measured();
    for (Index i = 0; i < D; ++i) {
      for (Index s = 0; s < possible.count(); ++s)
        distances[static_cast<std::size_t>(s)] = std::abs(measured(i, s) - states(i, t + 1));
      result.deviation(i, t + 1) = deviation_of(distances);
    }
  }
  if (model.band_scale.size() > 0)
    result.deviation = model.band_scale.asDiagonal() * result.deviation;
  return result;
}

Forecast forecast_from(const DynamicsModel& model, const Vector& first, const Matrix& actions) {
  const Index T = actions.cols(), history = model.shape.history;
  Matrix states = first.replicate(1, T + 1);
  for (Index t = 0; t < T; ++t) {
    // As much of the past as the next step is predicted from.
    const Index from = std::max<Index>(0, t - history), count = t + 1 - from;
    const Matrix inputs =
        model.inputs(states.middleCols(from, count), actions.middleCols(from, count));
    states.col(t + 1) = states.col(t) + model.regression.predict(inputs.rightCols(1)).mean;
    project_on_circles(model.shape.angles, states.col(t + 1));
  }
  return forecast(model, states, actions);
}

Vector relative_reach(const Forecast& announced, const Trajectory& seen) {
  const Index steps = std::min(seen.steps(), announced.mean.cols() - 1);
  if (steps < 2) return {};
  Vector result(announced.mean.rows());
  std::vector<double> distances(static_cast<std::size_t>(steps));
  for (Index i = 0; i < result.size(); ++i) {
    for (Index t = 1; t <= steps; ++t)
      distances[static_cast<std::size_t>(t - 1)] =
          std::abs(seen.observations(i, t) - announced.mean(i, t)) /
          std::max(announced.deviation(i, t), 1e-300);
    result[i] = std::clamp(deviation_of(distances), 0.1, 10.0);
  }
  return result;
}

}  // namespace rhc
