#include "rhc/evaluate/validation.h"

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "rhc/model/forecast.h"

namespace rhc {

namespace {

// A forecast, and what was measured instead.
struct ValidationPoints {
  std::vector<ForecastStart> starts;
  std::vector<Matrix> seen;  // D x (steps + 1)
};

ValidationPoints points_of(const std::vector<Trajectory>& logs, Index history,
                           const ValidationSettings& settings) {
  ValidationPoints points;
  const Index past = history - 1;
  for (const Trajectory& log : logs)
    for (Index row = past; row + settings.steps <= log.steps(); row += settings.every) {
      points.starts.push_back({{log.observations.middleCols(row - past, history),
                                log.actions.middleCols(row - past, past)},
                               log.actions.middleCols(row, settings.steps)});
      points.seen.emplace_back(log.observations.middleCols(row, settings.steps + 1));
    }
  return points;
}

void check_validation(const DynamicsModel& model, const std::vector<Trajectory>& logs,
                      const ValidationSettings& settings) {
  if (settings.steps < 1 || settings.every < 1)
    throw InputError(
        fmt::format("validation forecasts at least 1 step from every 1st row, not {} "
                    "from every {}",
                    settings.steps, settings.every));
  if (logs.empty()) throw InputError("there is no log to validate with");
  const Index needed = rows_to_validate(model.shape.history, settings.steps);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (logs[i].observations.rows() != model.outputs() ||
        logs[i].actions.rows() != model.shape.acted)
      throw InputError(fmt::format(
          "log {} has {} observations and {} actions in a row, the model has {} and {}", i + 1,
          logs[i].observations.rows(), logs[i].actions.rows(), model.outputs(), model.shape.acted));
    if (logs[i].observations.cols() < needed)
      throw InputError(fmt::format("log {} has {} rows, but a forecast of {} steps needs {}", i + 1,
                                   logs[i].observations.cols(), settings.steps, needed));
  }
}

}  // namespace

Index rows_to_validate(Index history, int steps) { return history + steps; }

Validation validate(const DynamicsModel& model, const std::vector<Trajectory>& logs,
                    const ValidationSettings& settings) {
  check_validation(model, logs, settings);
  const ValidationPoints points = points_of(logs, model.shape.history, settings);
  const std::vector<Forecast> announced = forecasts_from(model, points.starts, settings.threads);

  const Index D = model.outputs(), T = settings.steps;
  const double reach = normal_quantile(0.975);
  Validation result{static_cast<Index>(announced.size()), Matrix::Zero(D, T), Matrix::Zero(D, T),
                    Matrix::Zero(D, T)};
  for (std::size_t i = 0; i < announced.size(); ++i) {
    const Matrix seen = points.seen[i].rightCols(T);
    const Matrix off = (seen - announced[i].mean.rightCols(T)).cwiseAbs();
    result.rmse += off.cwiseAbs2();
    result.nothing_moves += (seen.colwise() - points.seen[i].col(0)).cwiseAbs2();
    result.coverage += (off.array() <= reach * announced[i].deviation.rightCols(T).array())
                           .cast<double>()
                           .matrix();
  }
  const auto count = static_cast<double>(result.points);
  result.rmse = (result.rmse / count).cwiseSqrt();
  result.nothing_moves = (result.nothing_moves / count).cwiseSqrt();
  result.coverage /= count;
  return result;
}

}  // namespace rhc
