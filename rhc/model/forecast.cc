#include "rhc/model/forecast.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "rhc/core/parallel.h"
#include "rhc/model/circle.h"
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

// How far possible systems run from these states, the first of which is where they stand.
Forecast around(const DynamicsModel& model, PossibleSystems& possible, const Matrix& states,
                const Matrix& actions) {
  const Index D = states.rows(), T = actions.cols();
  Forecast result{states, Matrix::Zero(D, T + 1), actions};
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

// The states that the mean of the model runs through, from the last observation of each start on.
std::vector<Matrix> mean_states(const DynamicsModel& model, std::span<const ForecastStart> starts) {
  const Index history = model.shape.history, T = starts[0].actions.cols();
  std::vector<Matrix> seen, done;  // with what was before
  for (const auto& [before, actions] : starts) {
    seen.emplace_back(model.outputs(), before.steps() + T + 1);
    seen.back().leftCols(before.steps() + 1) = before.observations;
    done.emplace_back(actions.rows(), before.steps() + T);
    done.back().leftCols(before.steps()) = before.actions;
    done.back().rightCols(T) = actions;
  }
  Matrix inputs(model.shape.inputs(), static_cast<Index>(starts.size()));
  for (Index step = 0; step < T; ++step) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      // As much of the past as the next step is predicted from.
      const Index t = starts[i].before.steps() + step, from = std::max<Index>(0, t - history);
      inputs.col(static_cast<Index>(i)) = model
                                              .inputs(seen[i].middleCols(from, t + 1 - from),
                                                      done[i].middleCols(from, t + 1 - from))
                                              .rightCols(1);
    }
    // All at once: one by one, `predict` would take longer than the band.
    const Matrix change = model.regression.predict(inputs).mean;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const Index t = starts[i].before.steps() + step;
      seen[i].col(t + 1) = seen[i].col(t) + change.col(static_cast<Index>(i));
      project_on_circles(model.shape.angles, seen[i].col(t + 1));
    }
  }
  for (Matrix& states : seen) states = states.rightCols(T + 1).eval();
  return seen;
}

}  // namespace

Forecast forecast(const DynamicsModel& model, const Trajectory& before, const Matrix& states,
                  const Matrix& actions) {
  if (actions.cols() == 0) return {states, Matrix::Zero(states.rows(), 1), actions};
  PossibleSystems possible(model, before, kDraws, RandomStream(0, "forecast"));
  return around(model, possible, states, actions);
}

Forecast forecast(const DynamicsModel& model, const Matrix& states, const Matrix& actions) {
  return forecast(model, standing_at(states.col(0), model.shape.acted), states, actions);
}

Forecast forecast_from(const DynamicsModel& model, const Trajectory& before,
                       const Matrix& actions) {
  const ForecastStart start{before, actions};
  return forecast(model, before, mean_states(model, {&start, 1})[0], actions);
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
    const std::vector<Matrix> means = mean_states(model, std::span(starts).subspan(first, count));
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [before, actions] = starts[first + i];
      possible.begin(before, RandomStream(0, "forecast noise", first + i));
      result[first + i] = around(model, possible, means[i], actions);
    }
  });
  return result;
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
