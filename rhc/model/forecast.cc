#include "rhc/model/forecast.h"

#include <algorithm>
#include <cmath>
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

// Without the leverage that `predict` finds besides, and that takes far longer.
Vector mean_change(const Regression& regression, const ConstMatrixRef& input) {
  Vector result(regression.outputs());
  Matrix phi, mean;
  for (const auto& [outputs, posterior] : regression.groups) {
    posterior.features.evaluate(input, phi);
    mean.noalias() = posterior.weights.transpose() * phi;
    mean = (posterior.outputs.scale.asDiagonal() * mean).colwise() + posterior.outputs.mean;
    for (std::size_t k = 0; k < outputs.size(); ++k)
      result[outputs[k]] = mean(static_cast<Index>(k), 0);
  }
  return result;
}

// The states that the mean of the model runs through, from the last observation on.
Matrix mean_states(const DynamicsModel& model, const Trajectory& before, const Matrix& actions) {
  const Index past = before.steps(), T = actions.cols(), history = model.shape.history;
  Matrix states(model.outputs(), past + T + 1), acted(actions.rows(), past + T);
  states.leftCols(past + 1) = before.observations;
  acted.leftCols(past) = before.actions;
  acted.rightCols(T) = actions;
  for (Index t = past; t < past + T; ++t) {
    // As much of the past as the next step is predicted from.
    const Index from = std::max<Index>(0, t - history), count = t + 1 - from;
    const Matrix inputs =
        model.inputs(states.middleCols(from, count), acted.middleCols(from, count));
    states.col(t + 1) = states.col(t) + mean_change(model.regression, inputs.rightCols(1));
    project_on_circles(model.shape.angles, states.col(t + 1));
  }
  return states.rightCols(T + 1);
}

Trajectory at_rest(const DynamicsModel& model, const Vector& first) {
  return {first, Matrix(model.shape.acted, 0)};
}

Forecast after(const DynamicsModel& model, const Trajectory& before, const Matrix& states,
               const Matrix& actions) {
  if (actions.cols() == 0) return {states, Matrix::Zero(states.rows(), 1), actions};
  PossibleSystems possible(model, before, kDraws, RandomStream(0, "forecast"));
  return around(model, possible, states, actions);
}

}  // namespace

Forecast forecast(const DynamicsModel& model, const Matrix& states, const Matrix& actions) {
  return after(model, at_rest(model, states.col(0)), states, actions);
}

Forecast forecast_from(const DynamicsModel& model, const Trajectory& before,
                       const Matrix& actions) {
  return after(model, before, mean_states(model, before, actions), actions);
}

Forecast forecast_from(const DynamicsModel& model, const Vector& first, const Matrix& actions) {
  return forecast_from(model, at_rest(model, first), actions);
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
    for (std::size_t i = first; i < std::min(first + kPart, starts.size()); ++i) {
      const auto& [before, actions] = starts[i];
      possible.begin(before, RandomStream(0, "forecast noise", i));
      result[i] = around(model, possible, mean_states(model, before, actions), actions);
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
