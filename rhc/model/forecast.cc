#include "rhc/model/forecast.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rhc/core/parallel.h"
#include "rhc/model/possible_systems.h"

namespace rhc {

namespace {

constexpr Index kDraws = 200;
constexpr double kReach = 1.959964;
constexpr std::size_t kPart = 16;  // forecasts that a thread makes at a time

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

// How far possible systems run from given states, the first of which is where they stand, or from
// the middle of them.
Forecast around(const DynamicsModel& model, PossibleSystems& possible, const Vector& first,
                const Matrix* states, const Matrix& actions) {
  const Index D = first.size(), T = actions.cols();
  Forecast result{Matrix(D, T + 1), Matrix::Zero(D, T + 1), actions};
  result.mean.col(0) = first;
  std::vector<double> values(static_cast<std::size_t>(possible.count()));
  for (Index t = 0; t < T; ++t) {
    possible.step(actions.col(t));
    result.mean.col(t + 1) = states ? Vector(states->col(t + 1)) : possible.middle();
    const Matrix measured = possible.measured();
    for (Index i = 0; i < D; ++i) {
      for (Index s = 0; s < possible.count(); ++s)
        values[static_cast<std::size_t>(s)] = std::abs(measured(i, s) - result.mean(i, t + 1));
      result.deviation(i, t + 1) = deviation_of(values);
    }
  }
  if (model.band_scale.size() > 0)
    result.deviation = model.band_scale.asDiagonal() * result.deviation;
  return result;
}

}  // namespace

Forecast forecast(const DynamicsModel& model, const Trajectory& before, const Matrix& states,
                  const Matrix& actions) {
  PossibleSystems possible(model, before, kDraws, RandomStream(0, "forecast"));
  return around(model, possible, states.col(0), &states, actions);
}

Forecast forecast(const DynamicsModel& model, const Matrix& states, const Matrix& actions) {
  return forecast(model, standing_at(states.col(0), model.shape.acted), states, actions);
}

Forecast forecast_from(const DynamicsModel& model, const Trajectory& before,
                       const Matrix& actions) {
  PossibleSystems possible(model, before, kDraws, RandomStream(0, "forecast"));
  return around(model, possible, before.observations.rightCols(1), nullptr, actions);
}

Forecast forecast_from(const DynamicsModel& model, const Vector& first, const Matrix& actions) {
  return forecast_from(model, standing_at(first, model.shape.acted), actions);
}

std::vector<Forecast> forecasts_from(const DynamicsModel& model,
                                     const std::vector<ForecastStart>& starts, int threads) {
  std::vector<Forecast> result(starts.size());
  if (starts.empty()) return result;
  const PossibleSystems drawn(model, starts[0].before, kDraws, RandomStream(0, "forecast"));
  const std::size_t parts = (starts.size() + kPart - 1) / kPart;
  parallel_for(static_cast<int>(parts), threads, [&](int part) {
    PossibleSystems possible = drawn;
    const std::size_t first = static_cast<std::size_t>(part) * kPart;
    const std::size_t count = std::min(kPart, starts.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [before, actions] = starts[first + i];
      possible.begin(before, RandomStream(0, "forecast noise", first + i));
      result[first + i] =
          around(model, possible, before.observations.rightCols(1), nullptr, actions);
    }
  });
  return result;
}

Index steps_before_lost(const Forecast& forecast, const Box& reach) {
  const Index steps = forecast.mean.cols() - 1;
  if (reach.size() == 0) return steps;
  const Vector width = known_region(reach).width();
  for (Index t = 1; t <= steps; ++t)
    if (!(kReach * forecast.deviation.col(t).array() < width.array()).all()) return t - 1;
  return steps;
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
