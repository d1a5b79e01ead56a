// How far a model's free-running forecasts are from what was measured, and whether its bands hold.
#pragma once

#include <vector>

#include "rhc/model/dynamics_model.h"

namespace rhc {

struct ValidationSettings {
  int steps = 10;  // that are forecast
  int every = 1;   // a forecast from every so many rows
  int threads = 1;
};

// A row an observation, column s - 1 at a distance of s steps.
struct Validation {
  Index points = 0;      // forecasts, each of all steps
  Matrix rmse;           // of the forecasts' mean
  Matrix nothing_moves;  // the same of a forecast that nothing changes
  Matrix coverage;       // share of what was measured inside the announced 95 % band

  Index steps() const { return rmse.cols(); }
};

// Rows that a log must have for one forecast.
Index rows_to_validate(Index history, int steps);

// From every k-th row that has the model's history before it and the steps after it, with the
// actions as they were. InputError where a setting is below 1, or a log is too short.
Validation validate(const DynamicsModel& model, const std::vector<Trajectory>& logs,
                    const ValidationSettings& settings);

}  // namespace rhc
